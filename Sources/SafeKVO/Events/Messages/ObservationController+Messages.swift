extension ObservationController {
    /// Observes messages of a type, and calls a handler with the observer and each message.
    ///
    /// ```swift
    /// observations.observe(center, for: CoverWanted.self) { library, message in
    ///     library.load(message.title)
    /// }
    /// ```
    ///
    /// The handler runs on the thread that posts. Handlers run in the order of their registration. If the center has a decoder that makes
    /// messages of this type, the decoded messages are observed, too.
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
        handler: @escaping (_ observer: Observer, _ message: Event) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.observe(center, type: ObjectIdentifier(type), of: object, registration, make: { HandlerInfo(event: $0, handler) })
    }

    /// Observes messages of a type, and calls a method of the observer that takes no arguments.
    ///
    /// Name the method through its class, as in `View.update`. Such an unbound method retains nothing. Otherwise this overload works like
    /// the one that takes a closure.
    @inlinable
    @discardableResult
    public func observe<Event: Message>(
        _ center: MessageCenter?, for type: Event.Type, object: AnyObject? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
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
    /// Name the method through its class, as in the example. Such an unbound method retains nothing. Otherwise this overload works like the
    /// one that takes a closure.
    @inlinable
    @discardableResult
    public func observe<Event: Message>(
        _ center: MessageCenter?, for type: Event.Type, object: AnyObject? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (Event) -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.observe(
            center, type: ObjectIdentifier(type), of: object, registration,
            make: { HandlerInfo<Observer, Event>(event: $0) { observer, message in action(observer)(message) } })
    }

    /// Observes messages of a type that any thread may post, and calls the handler in the isolation that is given with `on:`.
    ///
    /// ```swift
    /// observations.observe(
    ///     center, for: CoverWanted.self,
    ///     on: .mainActor { view, message in view.show(message.title) })
    /// ```
    ///
    /// See ``ObservationHandler`` for isolations, order and lifetime. Otherwise this overload works like the one that takes a closure.
    @discardableResult
    public func observe<Event: Message>(
        _ center: MessageCenter?, for type: Event.Type, object: AnyObject? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Event>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            handler.place, of: core, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.observe(
            center, type: ObjectIdentifier(type), of: object, registration, make: { HandlerInfo(event: $0, handler.function) })
    }

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
        let target = _EventTarget(center.topics, MessageCenter.subject(of: type), of: object)
        return core.unobserve(target, center.eventRegistrar.observers, tag: tag)
    }

    /// Returns the messages of a type as an asynchronous sequence.
    ///
    /// The observation begins with this call, even if no task takes elements from the sequence yet. ``ObservationSequence`` says when it
    /// ends.
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
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Event> {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(
                sequence: handle, options: [], position: SourcePosition(fileID: fileID, line: line), onTermination: { elements.finish() })
            return core.observe(
                center, type: ObjectIdentifier(type), of: object, registration,
                make: { HandlerInfo<Observer, Event>(event: $0) { _, message in elements.yield(message) } })
        }
    }
}

extension ControllerCore {
    @usableFromInline
    func observe(
        _ center: MessageCenter?, type: ObjectIdentifier, of object: AnyObject?, _ registration: borrowing Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        guard let center else { return registration.refused(.noObject) }
        let target = _EventTarget(center.topics, .type(type), of: object)
        return observe(
            target, of: center, center.eventRegistrar.observers, events: NamedMessage.self, registration, make: make)
    }
}
