/// What a call to `observe` says besides whom and what: carried from the typed surface to the untyped core.
@usableFromInline
package struct Registration: ~Copyable {
    var flags: InfoFlags
    let tag: ObservationTag?
    let ifAlreadyObserved: RepeatedObservation
    let onTermination: (@Sendable (ObservationEndReason) -> Void)?
    package let position: SourcePosition
    /// The actor in whose isolation the handler was formed, if that is not the main actor.
    private let isolation: (any Actor)?
    private let target: (any DeliveryTarget)?
    /// `true` if the handler belongs to another isolation than the one that was named.
    private var isOfAnotherIsolation = false
    /// Makes what is told elsewhere of an event that may not leave its thread.
    var read: ((EventPointer) -> EventBox)?
    /// `true` if what is observed offers no calls before the change.
    var offersNoPriorCalls = false
    /// What takes hold of the observation, once it is made.
    private(set) var handle: ObservationHandle?

    /// Says when a change is left out: a ``DuplicateFilter``.
    private var filter: AnyObject?

    /// The same, of a handler whose calls a filter may leave out.
    @usableFromInline
    consuming func leavingOut(_ filter: AnyObject) -> Registration {
        flags.insert(.comparesValues)
        self.filter = filter
        return self
    }

    /// The same, of an observation that its own handler ends.
    consuming func endedBy(_ handle: ObservationHandle) -> Registration {
        self.handle = handle
        return self
    }

    /// What only some observations have; nil if this one has none of it.
    func extras(_ driver: PullDriver?) -> InfoExtras? {
        let hasNone = tag == nil && onTermination == nil && isolation == nil && target == nil && driver == nil && filter == nil
        if hasNone, !flags.contains(.priorCall) { return nil }
        return InfoExtras(
            tag: tag, isolation: isolation.map { HandlerIsolation($0) }, target: target, read: read, driver: driver, filter: filter,
            onTermination: onTermination)
    }

    /// Why nothing can come of it, if so.
    var refusal: ObservationResult.Refusal? {
        if isOfAnotherIsolation { return .handlerOfAnotherIsolation }
        return (target != nil || offersNoPriorCalls) && flags.contains(.priorCall) ? refusalOfPriorCalls() : nil
    }

    /// `true` if the handler is called one hop later, or may be.
    var hops: Bool { target != nil }

    /// Says why nothing can come of it, also to the log.
    @usableFromInline
    func refused(_ refusal: ObservationResult.Refusal) -> ObservationResult {
        if ObservationDiagnostics.isLogging { ObservationDiagnostics.log(refusal, at: position) }
        return .refused(refusal)
    }

    /// Reports that no key path was given.
    package func warnOfNoKeyPaths(of type: Any.Type) {
        let position = position
        ObservationDiagnostics.warnOnce(
            .noKeyPaths, at: position,
            """
            `observeEach(_:_:)` at \(position) got an empty list of key paths of `\(type)` and observes nothing. Pass key paths, or observe `\\.self`, \
            which stands for every property.
            """)
    }

    /// Says that calls before the change cannot be made.
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

    /// A registration whose handler is called in a place of its own.
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
        // Without an observer, the registration is refused.
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

    /// A registration of a sequence, of which each is an observation of its own.
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

/// The place where a handler is called that was handed over with `on:`.
package struct HandlerPlace {
    enum Kind {
        /// On whatever thread makes the change.
        case anyThread
        /// The place that a target says.
        case target(any DeliveryTarget)
        /// In the observer, which is an actor.
        case observer
        /// Nowhere: the handler belongs to another isolation than the one that was named.
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

    /// The place that a target says.
    package init(_ target: any DeliveryTarget, kind: ObservationHandlerKind = .closure) {
        self.init(.target(target), kind)
    }

    /// A global actor, for a handler of an isolation.
    init<Isolation: GlobalActor>(_ type: Isolation.Type, of isolation: (any Actor)?) {
        if let isolation, isolation !== Isolation.shared {
            self.init(.anotherIsolation)
        } else {
            self.init(Isolation.self == MainActor.self ? MainActorTarget.shared : ActorTarget(Isolation.shared))
        }
    }
}
