/// Messages by their type.
extension ObservationController {
    /// Observes messages of a type: calls the handler with the observer and each message.
    ///
    /// ```swift
    /// observations.observe(center, for: CoverWanted.self) { library, message in library.load(message.title) }
    /// ```
    ///
    /// The handler runs on the thread that posts, in the order in which observers registered. Messages that are posted by name are observed as
    /// well if the center has a decoder for the name.
    ///
    /// - Parameters:
    ///   - center: Where to observe. Observing `nil` does nothing.
    ///   - type: Which messages.
    ///   - object: The object that they must have been posted with; nil for any and none. It is not retained.
    ///   - tag: Keeps two observations of the same messages apart.
    ///   - ifAlreadyObserved: What happens if this controller observes these messages under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called for each message.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
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

    /// Observes messages of a type as the form with a closure, and calls a method of the observer without arguments.
    ///
    /// The method is not bound to the observer, so nothing is retained.
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

    /// Observes messages of a type as the form with a closure, and calls a method of the observer with each message.
    ///
    /// ```swift
    /// observations.observe(center, for: CoverWanted.self, action: CoverLibrary.load(_:))
    /// ```
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

    /// Observes messages of a type that may be posted on any thread: calls the handler with each message, where it says.
    ///
    /// ```swift
    /// observations.observe(center, for: CoverWanted.self, on: .mainActor { view, message in view.show(message.title) })
    /// ```
    ///
    /// See ``ObservationHandler`` for the places, the order and the lifetimes. Everything else is as for the form with a closure.
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
    /// When it returns, no new call starts, not even in a delivery under way. Exactly what was observed is removed: nil stands for an observation
    /// of any object.
    ///
    /// - Parameters:
    ///   - center: The observed center.
    ///   - type: The type of the messages.
    ///   - object: The object that was asked for, if any.
    ///   - tag: The tag that they were observed under, if any.
    /// - Returns: how many observations were removed: one or none.
    /// - Complexity: O(1).
    @discardableResult
    public func unobserve<Event: Message>(
        _ center: MessageCenter?, for type: Event.Type, object: AnyObject? = nil, tag: ObservationTag? = nil
    ) -> Int {
        guard let center else { return core.unobserve(list: nil, tag: tag) }
        let target = _EventTarget(center.topics, MessageCenter.subject(of: type), of: object)
        return core.unobserve(target, center.eventRegistrar.observers, tag: tag)
    }

    /// The messages of a type, as a sequence.
    ///
    /// It observes from this call on, whether or not anybody takes the messages yet. See ``ObservationSequence`` for its end.
    ///
    /// - Parameters:
    ///   - type: Which messages.
    ///   - center: Where to observe. The messages of `nil` are none.
    ///   - object: The object that they must have been posted with; nil for any and none. It is not retained.
    ///   - buffering: What becomes of messages that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
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
    /// Observes messages of a type.
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
