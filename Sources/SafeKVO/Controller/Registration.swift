/// The arguments of a call to `observe`, except the observed object, the key path and the handler.
///
/// The typed functions of ``ObservationController`` pass them to the controller's untyped core.
@usableFromInline
package struct Registration: ~Copyable {
    var flags: InfoFlags
    let tag: ObservationTag?
    let ifAlreadyObserved: RepeatedObservation
    let onTermination: (@Sendable (ObservationEndReason) -> Void)?
    package let position: SourcePosition
    /// The actor in whose isolation the handler was formed, or nil for the main actor and for no actor.
    private let isolation: (any Actor)?
    private let target: (any DeliveryTarget)?
    /// `true` if the handler was formed in another isolation than the one that was given with `on:`.
    private var isOfAnotherIsolation = false
    /// Reads what the handler needs from an event that must not leave its thread.
    ///
    /// The handler gets the result in its own isolation.
    var read: ((EventPointer) -> EventBox)?
    /// `true` if the observed value cannot notify observers before a change.
    var offersNoPriorCalls = false
    /// The handle that gets the observation once it is made, so that it can end the observation.
    private(set) var handle: ObservationHandle?

    /// A ``DuplicateFilter`` that leaves out changes to an equal value, or nil.
    private var filter: AnyObject?

    /// Returns the registration with a filter, which leaves out some calls of the handler.
    @usableFromInline
    consuming func leavingOut(_ filter: AnyObject) -> Registration {
        flags.insert(.comparesValues)
        self.filter = filter
        return self
    }

    /// Returns the registration with a handle, so that the handler can end its own observation.
    consuming func endedBy(_ handle: ObservationHandle) -> Registration {
        self.handle = handle
        return self
    }

    /// Returns the parts that only some observations have, such as a tag or a filter, or nil if this one has none of them.
    func extras(_ driver: PullDriver?) -> InfoExtras? {
        let hasNone = tag == nil && onTermination == nil && isolation == nil && target == nil && driver == nil && filter == nil
        if hasNone, !flags.contains(.priorCall) { return nil }
        return InfoExtras(
            tag: tag, isolation: isolation.map { HandlerIsolation($0) }, target: target, read: read, driver: driver, filter: filter,
            onTermination: onTermination)
    }

    /// The reason to refuse the registration, or nil if its arguments are valid.
    var refusal: ObservationResult.Refusal? {
        if isOfAnotherIsolation { return .handlerOfAnotherIsolation }
        return (target != nil || offersNoPriorCalls) && flags.contains(.priorCall) ? refusalOfPriorCalls() : nil
    }

    /// `true` if the handler is called after a hop to its isolation, or may be.
    var hops: Bool { target != nil }

    /// Returns the result of a refused registration, and logs the refusal if logging is on.
    @usableFromInline
    func refused(_ refusal: ObservationResult.Refusal) -> ObservationResult {
        if ObservationDiagnostics.isLogging { ObservationDiagnostics.log(refusal, at: position) }
        return .refused(refusal)
    }

    /// Reports that `observe` got an empty list of key paths.
    package func warnOfNoKeyPaths(of type: Any.Type) {
        let position = position
        ObservationDiagnostics.warnOnce(
            .noKeyPaths, at: position,
            """
            `observeEach(_:_:)` at \(position) got an empty list of key paths of `\(type)` and observes nothing. Pass key paths, or observe `\\.self`, \
            which stands for every property.
            """)
    }

    /// Reports that calls before the change are impossible, and returns the matching refusal.
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

    /// Makes a registration whose handler runs in the place that was given with `on:`.
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
        // If the observer is deallocated, there is no target. The registration is then refused for that reason.
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

    /// Makes the registration of a sequence, under the tag of the sequence's handle.
    ///
    /// No other observation has that tag, so each sequence has an observation of its own.
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

/// The place where a handler runs if it was passed with `on:`, such as a thread or an actor.
@usableFromInline
package struct HandlerPlace {
    enum Kind {
        /// The thread that makes the change.
        case anyThread
        /// A target, such as an actor or a queue, which runs the handler.
        case target(any DeliveryTarget)
        /// The isolation of the observer, which is an actor.
        case observer
        /// No place, because the handler was formed in another isolation than the one that was given with `on:`.
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

    /// Makes the place of a target, such as an actor or a queue.
    package init(_ target: any DeliveryTarget, kind: ObservationHandlerKind = .closure) {
        self.init(.target(target), kind)
    }

    /// Makes the place of a global actor.
    ///
    /// If the handler was formed in another isolation than that of the global actor, the registration is refused.
    init<Isolation: GlobalActor>(_ type: Isolation.Type, of isolation: (any Actor)?) {
        if let isolation, isolation !== Isolation.shared {
            self.init(.anotherIsolation)
        } else {
            self.init(Isolation.self == MainActor.self ? MainActorTarget.shared : ActorTarget(Isolation.shared))
        }
    }
}
