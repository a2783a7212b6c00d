/// The arguments of a call to `observe`, except the observed object, the key path and the handler.
@usableFromInline
package struct Registration: ~Copyable {
    private(set) var flags: InfoFlags
    let tag: ObservationTag?
    let ifAlreadyObserved: RepeatedObservation
    let onTermination: (@Sendable (ObservationEndReason) -> Void)?
    package let position: SourcePosition
    /// The actor to which the handler is isolated, except the main actor, which `flags` stores; for a handler that is `Sendable`, the actor on
    /// which the source is released.
    private var isolation: (any Actor)?
    /// The isolation in which the registration is made.
    private(set) var origin: (any Actor)?
    private var target: (any DeliveryTarget)?
    private var isOfAnotherIsolation = false
    /// A closure that converts an event to the handler's argument, or `nil` if the handler takes the event itself.
    ///
    /// The closure runs on the thread that delivers the event, because some events must not leave that thread.
    @usableFromInline
    var read: ((EventPointer) -> EventBox)?
    /// `true` if `.prior` is refused, because the observed value cannot notify observers before a change.
    var offersNoPriorCalls = false
    /// The name of the observing function, for messages.
    var function: StaticString = "observe"
    private(set) var handle: ObservationHandle?

    /// A ``DuplicateFilter``, which skips repeated values, or `nil` if every change is delivered.
    private let filter: AnyObject?

    /// Notes the isolation in which a registration with `on:` is made, where its key path is evaluated.
    @usableFromInline
    consuming func made(in isolation: (any Actor)?) -> Registration {
        origin = isolation
        return self
    }

    @usableFromInline
    consuming func endedBy(_ handle: ObservationHandle) -> Registration {
        self.handle = handle
        return self
    }

    func extras(_ driver: ObservationDriver?) -> InfoExtras? {
        let hasNone = tag == nil && onTermination == nil && isolation == nil && target == nil && driver == nil && filter == nil
        if hasNone, !flags.contains(.priorCall) { return nil }
        return InfoExtras(
            tag: tag, isolation: isolation.map { .of($0) }, target: target, read: read, driver: driver, filter: filter,
            onTermination: onTermination)
    }

    var refusal: ObservationResult.Refusal? {
        if isOfAnotherIsolation { return .handlerOfAnotherIsolation }
        return (target != nil || offersNoPriorCalls) && flags.contains(.priorCall) ? .priorCallElsewhere : nil
    }

    @usableFromInline
    var transfers: Bool { target != nil }

    /// Returns the result of a registration that is refused, and warns about it once for each source line.
    ///
    /// An object that is `nil` causes no warning: an observer may observe what it does not have yet.
    ///
    /// - Parameters:
    ///   - subject: The observed object, for the message.
    ///   - list: The observer list of the key, if it is known.
    @usableFromInline
    @inline(never)
    package func refused(
        _ refusal: ObservationResult.Refusal, of subject: AnyObject? = nil, in list: ObserverList? = nil
    ) -> ObservationResult {
        let position = position
        DiagnosticsHook.log(refusal, at: position)
        if let reason = reason(of: refusal, isOfKey: list != nil) {
            let name = list?.qualifiedName ?? subject.map { "\(type(of: $0))" }
            ObservationDiagnostics.warnOnce(
                .refusedRegistration, at: position,
                "The observation\(name.map { " of `\($0)`" } ?? "") at \(position) was refused: \(reason)")
        }
        return .refused(refusal)
    }

    /// Returns why a registration is refused, and what to do about it.
    private func reason(of refusal: ObservationResult.Refusal, isOfKey: Bool) -> String? {
        switch refusal {
        case .noObject: nil
        case .objectDeinitialized: "the object is being deallocated. Observe it before its `deinit`."
        case .observerDeinitialized:
            """
            the observer is deallocated or in its `deinit`. Store the observer for as long as it must observe, and do not register in its `deinit`.
            """
        case .controllerInvalidated: "the controller was invalidated. Register before `invalidate()`, or with another controller."
        case .priorCallElsewhere:
            """
            its option `.prior` asks for a call before each change, but `on:` calls the handler after it. Leave out `.prior`, or leave out `on:` \
            and register in the isolation that makes the changes.
            """
        case .handlerOfAnotherIsolation:
            """
            its handler is isolated to an actor other than the one on which it was registered, or which `on:` names. Register it on the handler's \
            actor: in a method of the actor, or in a function that takes it as an `isolated` parameter. Or let `on:` name that actor.
            """
        case .noIsolation:
            """
            \(isOfKey ? "it reads an `ObservedValue` or `@AtomicObserved` property, which any thread may set" : "any thread may notify on this source"), \
            but it was registered in no isolation, with a handler that is not known to be `Sendable`. Register on an actor, for instance \
            the main actor, by an observer that is marked `@MainActor`. Or, if the observer is `Sendable`, pass `on: .anyThread { … }`\(isOfKey ? "" : ", or pass a closure instead of a method").
            """
        case .intervalNotPositive: "the interval of the poll is zero or negative. Pass an interval that is longer than zero."
        }
    }

    @usableFromInline
    package func warnOfNoKeyPaths(of type: Any.Type) {
        let position = position
        ObservationDiagnostics.warnOnce(
            .noKeyPaths, at: position,
            """
            `observeEach(_:_:)` at \(position) got an empty list of key paths of `\(type)` and observes nothing. Pass key paths, or observe `\\.self`, \
            which stands for every property.
            """)
    }

    /// Returns the reason why an observation in `list` is refused, or `nil` if it is allowed.
    ///
    /// Any thread may change an atomic property, but a handler that is not `Sendable` needs an isolation.
    func refusal(of list: ObserverList) -> ObservationResult.Refusal? {
        flags.isUnprotected && list.readsAtomic ? .noIsolation : nil
    }

    @usableFromInline
    @inline(never)
    package init(
        _ kind: HandlerKind, _ options: KeyValueObservingOptions, _ tag: ObservationTag?,
        _ ifAlreadyObserved: RepeatedObservation, _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        _ onTermination: (@Sendable (ObservationEndReason) -> Void)?, _ filter: AnyObject? = nil
    ) {
        flags = InfoFlags(kind, options)
        if filter != nil { flags.insert(.comparesValues) }
        self.filter = filter
        let isOnMainActor = isolation.map { $0 === MainActor.shared } ?? false
        if isolation != nil { flags.insert(isOnMainActor ? .mainActor : .otherIsolation) }
        self.isolation = isOnMainActor ? nil : isolation
        origin = isolation
        self.tag = tag
        self.ifAlreadyObserved = ifAlreadyObserved
        self.onTermination = onTermination
        position = SourcePosition(fileID: fileID, line: line)
    }

    /// Makes the registration of a handler that is isolated to the observer, which is an actor.
    ///
    /// It is refused outside that actor: the handler and the object must be in one isolation, and the compiler knows that of `isolation` alone.
    @usableFromInline
    @inline(never)
    package init(
        _ kind: HandlerKind, _ options: KeyValueObservingOptions, _ tag: ObservationTag?,
        _ ifAlreadyObserved: RepeatedObservation, of core: ControllerCore, _ isolation: (any Actor)?, _ fileID: StaticString,
        _ line: UInt, _ onTermination: (@Sendable (ObservationEndReason) -> Void)?, _ filter: AnyObject?
    ) {
        self.init(kind, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination, filter)
        isOfAnotherIsolation = isolation !== core.observer
    }

    /// Makes the registration of a handler that is `Sendable` and knows its own isolation, if it has one.
    ///
    /// It is refused if the handler is isolated to another actor than the caller, for the same reason.
    @usableFromInline
    package init(
        of handler: (any Actor)?, in isolation: (any Actor)?, _ tag: ObservationTag?, _ ifAlreadyObserved: RepeatedObservation,
        _ fileID: StaticString, _ line: UInt, _ onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) {
        self.init(.closure, [], tag, ifAlreadyObserved, handler, fileID, line, onTermination)
        if handler != nil {
            isOfAnotherIsolation = handler !== isolation
        } else {
            flags.insert(.sendable)
            // Any thread may call the handler, but the source need not be `Sendable`.
            self.isolation = isolation
        }
    }

    @usableFromInline
    @inline(never)
    package init(
        _ place: HandlerPlace, _ core: ControllerCore, _ options: KeyValueObservingOptions, _ tag: ObservationTag?,
        _ ifAlreadyObserved: RepeatedObservation, _ fileID: StaticString, _ line: UInt,
        _ onTermination: (@Sendable (ObservationEndReason) -> Void)?, _ filter: AnyObject? = nil
    ) {
        self.init(place.handlerKind, options, tag, ifAlreadyObserved, nil, fileID, line, onTermination, filter)
        switch place.kind {
        case .anyThread: break
        case .target(let place): target = place
        // If the observer is deallocated, `target` is `nil`, and the registration will be refused.
        case .observer: target = (core.observer as? any Actor).map { ObserverTarget($0) }
        case .anotherIsolation: isOfAnotherIsolation = true
        }
        flags.insert(target == nil ? .sendable : .transfers)
    }

    /// Makes the registration of an observation sequence, under the unique tag of `handle`.
    ///
    /// - Parameter home: The isolation in which the sequence is made; `.anywhere` for a sequence that is `Sendable`.
    @inline(never)
    init(
        _ handle: ObservationHandle, _ options: KeyValueObservingOptions, _ home: SequenceHome, _ fileID: StaticString, _ line: UInt,
        _ filter: AnyObject?, onTermination: @escaping @Sendable () -> Void
    ) {
        let end: @Sendable (ObservationEndReason) -> Void = { reason in
            handle.didEnd(for: reason)
            onTermination()
        }
        switch home {
        case .isolation(let isolation): self.init(.sequence, options, handle.tag, .ignore, isolation, fileID, line, end, filter)
        case .anywhere(let isolation):
            self.init(.sequence, options, handle.tag, .ignore, nil, fileID, line, end, filter)
            origin = isolation
            flags.insert(.sendable)
        }
        self.handle = handle
    }
}

/// Where an asynchronous sequence may be used, and where its observation releases the observed object.
@usableFromInline
package enum SequenceHome {
    /// In the isolation of the caller that makes the sequence, or on the caller's thread if that is `nil`.
    case isolation((any Actor)?)
    /// Everywhere, after it was made in an isolation.
    case anywhere(from: (any Actor)?)
}
