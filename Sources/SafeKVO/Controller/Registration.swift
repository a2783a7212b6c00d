/// The arguments of a call to `observe`, except the observed object, the key path and the handler.
@usableFromInline
package struct Registration: ~Copyable {
    var flags: InfoFlags
    let tag: ObservationTag?
    let ifAlreadyObserved: RepeatedObservation
    let onTermination: (@Sendable (ObservationEndReason) -> Void)?
    package let position: SourcePosition
    /// The actor to which the handler is isolated, or `nil` for the main actor and for a handler without an actor.
    private let isolation: (any Actor)?
    private let target: (any DeliveryTarget)?
    private var isOfAnotherIsolation = false
    /// A closure that converts an event to the value that the handler gets, or `nil` if the handler gets the event.
    ///
    /// It runs on the thread that delivers the event, because some events must not leave that thread.
    var read: ((EventPointer) -> EventBox)?
    /// `true` if the observed value cannot notify observers before a change.
    var offersNoPriorCalls = false
    private(set) var handle: ObservationHandle?

    /// A ``DuplicateFilter`` that skips values equal to the last one, or `nil` if every change is delivered.
    private var filter: AnyObject?

    @usableFromInline
    consuming func leavingOut(_ filter: AnyObject) -> Registration {
        flags.insert(.comparesValues)
        self.filter = filter
        return self
    }

    consuming func endedBy(_ handle: ObservationHandle) -> Registration {
        self.handle = handle
        return self
    }

    func extras(_ driver: PullDriver?) -> InfoExtras? {
        let hasNone = tag == nil && onTermination == nil && isolation == nil && target == nil && driver == nil && filter == nil
        if hasNone, !flags.contains(.priorCall) { return nil }
        return InfoExtras(
            tag: tag, isolation: isolation.map { HandlerIsolation($0) }, target: target, read: read, driver: driver, filter: filter,
            onTermination: onTermination)
    }

    var refusal: ObservationResult.Refusal? {
        if isOfAnotherIsolation { return .handlerOfAnotherIsolation }
        return (target != nil || offersNoPriorCalls) && flags.contains(.priorCall) ? refusalOfPriorCalls() : nil
    }

    var hops: Bool { target != nil }

    @usableFromInline
    func refused(_ refusal: ObservationResult.Refusal) -> ObservationResult {
        if ObservationDiagnostics.isLogging { ObservationDiagnostics.log(refusal, at: position) }
        return .refused(refusal)
    }

    package func warnOfNoKeyPaths(of type: Any.Type) {
        let position = position
        ObservationDiagnostics.warnOnce(
            .noKeyPaths, at: position,
            """
            `observeEach(_:_:)` at \(position) got an empty list of key paths of `\(type)` and observes nothing. Pass key paths, or observe `\\.self`, \
            which stands for every property.
            """)
    }

    private func refusalOfPriorCalls() -> ObservationResult.Refusal {
        let (position, hops) = (position, hops)
        ObservationDiagnostics.warn(
            .misplacedChange, at: position,
            """
            The observation at \(position) was refused: its option `.prior` asks for a call before each change, but \
            \(hops ? "`on:` calls the handler after it" : "a poll, and an `@Observable` object on any thread, are read after it"). \
            Leave out `.prior`\(hops ? ", or leave out `on:` and register in the isolation that makes the changes" : "").
            """)
        return .priorCallElsewhere
    }

    @usableFromInline
    package init(
        kind: ObservationHandlerKind, options: KeyValueObservingOptions, tag: ObservationTag?, ifAlreadyObserved: RepeatedObservation,
        isolation: (any Actor)?, isSendable: Bool = false, position: SourcePosition,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?, wantsWholeValues: Bool = false, filter: AnyObject? = nil
    ) {
        flags = InfoFlags(kind, options)
        if filter != nil { flags.insert(.comparesValues) }
        self.filter = filter
        if isSendable { flags.insert(.sendable) }
        if wantsWholeValues { flags.insert(.wholeValue) }
        if let isolation {
            let isOnMainActor = isolation === MainActor.shared
            flags.insert(isOnMainActor ? .mainActor : .otherIsolation)
            self.isolation = isOnMainActor ? nil : isolation
        } else {
            self.isolation = nil
        }
        target = nil
        handle = nil
        self.tag = tag
        self.ifAlreadyObserved = ifAlreadyObserved
        self.onTermination = onTermination
        self.position = position
    }

    /// Makes a registration whose handler runs where the argument `on:` of `observe` says, for example on an actor.
    init(
        _ place: HandlerPlace, of core: ControllerCore, options: KeyValueObservingOptions, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, position: SourcePosition, onTermination: (@Sendable (ObservationEndReason) -> Void)?,
        wantsWholeValues: Bool = false, filter: AnyObject? = nil
    ) {
        flags = InfoFlags(place.handlerKind, options)
        if filter != nil { flags.insert(.comparesValues) }
        self.filter = filter
        if wantsWholeValues { flags.insert(.wholeValue) }
        switch place.kind {
        case .anyThread: target = nil
        case .target(let place): target = place
        // If the observer has been deallocated, `target` is `nil`, and `observe` refuses the registration later.
        case .observer: target = (core.observer as? any Actor).map { ObserverTarget($0) }
        case .anotherIsolation:
            target = nil
            isOfAnotherIsolation = true
        }
        flags.insert(target == nil ? .sendable : .hops)
        isolation = nil
        handle = nil
        self.tag = tag
        self.ifAlreadyObserved = ifAlreadyObserved
        self.onTermination = onTermination
        self.position = position
    }

    /// Makes a registration for an observation sequence, which uses the unique tag of `handle`.
    init(
        sequence handle: ObservationHandle, options: KeyValueObservingOptions, position: SourcePosition,
        onTermination: @escaping @Sendable () -> Void, wantsWholeValues: Bool = false
    ) {
        flags = InfoFlags(.sequence, options).union(.sendable)
        if wantsWholeValues { flags.insert(.wholeValue) }
        isolation = nil
        target = nil
        self.handle = handle
        tag = handle.tag
        ifAlreadyObserved = .ignore
        self.onTermination = { reason in
            handle.didEnd(for: reason)
            onTermination()
        }
        self.position = position
    }
}

/// The place in which a handler runs if `on:` was given, such as a thread or an actor.
@usableFromInline
package struct HandlerPlace {
    enum Kind {
        case anyThread
        case target(any DeliveryTarget)
        /// The observer is an actor, and the handler runs on it.
        case observer
        /// The handler is isolated to another actor than the one that was given with `on:`. The registration is refused.
        case anotherIsolation
    }

    let kind: Kind
    let handlerKind: ObservationHandlerKind

    private init(_ kind: Kind, _ handlerKind: ObservationHandlerKind = .closure) {
        self.kind = kind
        self.handlerKind = handlerKind
    }

    static var anyThread: HandlerPlace { HandlerPlace(.anyThread) }

    static var observer: HandlerPlace { HandlerPlace(.observer) }

    package init(_ target: any DeliveryTarget, kind: ObservationHandlerKind = .closure) {
        self.init(.target(target), kind)
    }

    /// Makes the place for handlers that run on a global actor.
    ///
    /// If the handler is isolated to another actor, the registration is refused.
    init<Isolation: GlobalActor>(_ type: Isolation.Type, of isolation: (any Actor)?) {
        if let isolation, isolation !== Isolation.shared {
            self.init(.anotherIsolation)
        } else {
            self.init(Isolation.self == MainActor.self ? MainActorTarget.shared : ActorTarget(Isolation.shared))
        }
    }
}
