public import SafeKVO

extension ObservationController where Observer: Sendable {
    /// Observes messages of a type, and calls a handler with the observer and each message.
    ///
    /// ```swift
    /// observations.observe(center, for: CoverWanted.self) { library, message in
    ///     library.load(message.title)
    /// }
    /// ```
    ///
    /// A closure that is isolated to an actor, as one in a class of the main actor is, runs on that actor only. Register it on that actor;
    /// anywhere else the registration is refused. A message that is posted outside the actor is not delivered; the library counts and reports
    /// it. Any other closure runs on the thread that posts, so it may capture only what is `Sendable`. Handlers run in the order of their
    /// registration. If the center has a decoder that makes messages of this type, the decoded messages are observed, too.
    ///
    /// - Parameters:
    ///   - center: The center to observe. Observing `nil` does nothing.
    ///   - type: The type of the messages.
    ///   - object: The object with which the messages are posted. If it is `nil`, messages with any object or none are observed. It is not
    ///     retained.
    ///   - tag: A tag that distinguishes several observations of the same messages.
    ///   - ifAlreadyObserved: The action to take if this controller already observes these messages under this tag.
    ///   - handler: Called with the observer and each message.
    ///   - onTermination: Called once, after the last call of the handler, with the reason for the end of the observation.
    /// - Returns: the result, which says whether the observation was added. A registration that is not added is not an error.
    /// - Complexity: O(1), whatever the number of other observers.
    @inlinable
    @discardableResult
    public func observe<Event: Message>(
        _ center: MessageCenter?, for type: Event.Type, object: AnyObject? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext handler: @escaping @Sendable @isolated(any) (_ observer: Observer, _ message: Event) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(of: handler.isolation, in: isolation, tag, ifAlreadyObserved, fileID, line, onTermination)
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let function = unsafe unsafeBitCast(handler, to: ((Observer, Event) -> Void).self)
        return core.observe(center, type: ObjectIdentifier(type), of: object, registration, make: { HandlerInfo(event: $0, function) })
    }

    /// Observes messages of a type, and calls a method of the observer that takes no arguments.
    ///
    /// Name the method through its class, as in `View.update`. Such an unbound method retains nothing. Call this function on an actor,
    /// which must be the method's. Otherwise the registration is refused. In all else this overload works like the one that takes a closure.
    @inlinable
    @discardableResult
    public func observe<Event: Message>(
        _ center: MessageCenter?, for type: Event.Type, object: AnyObject? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.action, [], tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return core.observe(
            center, type: ObjectIdentifier(type), of: object, registration,
            make: { HandlerInfo<Observer, Event>(event: $0) { observer, _ in action(observer)() } })
    }

    /// Observes messages of a type, and calls a method of the observer with each message.
    ///
    /// ```swift
    /// observations.observe(
    ///     center, for: CoverWanted.self, action: CoverLibrary.load(_:))
    /// ```
    ///
    /// Name the method through its class, as in the example. Such an unbound method retains nothing. Call this function on an actor,
    /// which must be the method's. Otherwise the registration is refused. In all else this overload works like the one that takes a closure.
    @inlinable
    @discardableResult
    public func observe<Event: Message>(
        _ center: MessageCenter?, for type: Event.Type, object: AnyObject? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (Event) -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.action, [], tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return core.observe(
            center, type: ObjectIdentifier(type), of: object, registration,
            make: { HandlerInfo<Observer, Event>(event: $0) { observer, message in action(observer)(message) } })
    }
}

extension ObservationController {
    /// Returns the messages of a type as an asynchronous sequence.
    ///
    /// The observation begins with this call, even if no task takes elements from the sequence yet. The sequence stays in the isolation of
    /// the caller. `ObservationSequence` says when it ends.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - center: The center to observe. If it is `nil`, the sequence has no messages.
    ///   - object: The object with which the messages are posted. If it is `nil`, messages with any object or none are observed. It is not
    ///     retained.
    ///   - buffering: The rule for messages that arrive faster than they are taken. By default, all are kept.
    /// - Returns: the sequence.
    public func messages<Event: Message & Sendable>(
        _ type: Event.Type, from center: MessageCenter?, object: AnyObject? = nil, buffering: ObservationBuffering = .unbounded,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Event> {
        ObservationSequence(core.messages(type, from: center, of: object, buffering, .isolation(isolation), fileID, line))
    }
}

extension ObservationControllerBase {
    /// Removes the observation of messages of a type.
    ///
    /// After this function returns, no new call of the handler starts, even if a message is being delivered. The function removes only the
    /// observation that was registered with the same object and tag.
    ///
    /// - Parameters:
    ///   - center: The observed center.
    ///   - type: The type of the messages.
    ///   - object: The object that was passed to `observe`.
    ///   - tag: The tag that was passed to `observe`.
    /// - Returns: the number of removed observations: one or zero.
    /// - Complexity: O(1).
    @discardableResult
    public func unobserve<Event: Message>(
        _ center: MessageCenter?, for type: Event.Type, object: AnyObject? = nil, tag: ObservationTag? = nil
    ) -> Int {
        guard let center else { return core.unobserve(list: nil, tag: tag) }
        let target = _EventTarget(MessageCenter.subject(of: type), of: object, from: center)
        return core.unobserve(target, center.eventRegistrar.observers, tag: tag)
    }

    /// Observes messages of a type that any thread may post, and calls the handler in the isolation that is given with `on:`.
    ///
    /// ```swift
    /// observations.observe(
    ///     center, for: CoverWanted.self,
    ///     on: .mainActor { view, message in view.show(message.title) })
    /// ```
    ///
    /// See `ObservationHandler` for isolations, order and lifetime. Otherwise this overload works like the one that takes a closure.
    @discardableResult
    public func observe<Event: Message>(
        _ center: MessageCenter?, for type: Event.Type, object: AnyObject? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Event>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(handler.place, core, [], tag, ifAlreadyObserved, fileID, line, onTermination)
        return core.observe(
            center, type: ObjectIdentifier(type), of: object, registration, make: { HandlerInfo(event: $0, handler.function) })
    }
}

extension SharedObservationController {
    /// Returns the messages of a type as an asynchronous sequence that may be sent to another task.
    ///
    /// Otherwise this function works like
    /// `ObservationController.messages(_:from:object:buffering:isolation:fileID:line:)`.
    public func messages<Event: Message & Sendable>(
        _ type: Event.Type, from center: MessageCenter?, object: AnyObject? = nil, buffering: ObservationBuffering = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> SharedObservationSequence<Event> {
        core.messages(type, from: center, of: object, buffering, .anywhere(from: nil), fileID, line)
    }
}

extension ControllerCore {
    fileprivate func messages<Event: Message & Sendable>(
        _ type: Event.Type, from center: MessageCenter?, of object: AnyObject?, _ buffering: ObservationBuffering, _ home: SequenceHome,
        _ fileID: StaticString, _ line: UInt
    ) -> SharedObservationSequence<Event> {
        SequenceSource.sequence(buffering: buffering) { source in
            observe(
                center, type: ObjectIdentifier(type), of: object, source.registration([], home, fileID, line),
                make: { [elements = source.elements] in
                    HandlerInfo<AnyObject, Event>(event: $0) { _, message in elements.yield(message) }
                })
        }
    }

    @usableFromInline
    func observe(
        _ center: MessageCenter?, type: ObjectIdentifier, of object: AnyObject?, _ registration: borrowing Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        guard let center else { return registration.refused(.noObject) }
        if let refusal = registration.refusal(ofSource: center) { return registration.refused(refusal, of: center) }
        let target = _EventTarget(.type(type), of: object, from: center)
        return observe(target, of: center, center.eventRegistrar.observers, events: NamedMessage.self, registration, make: make)
    }
}
