extension ObservationController {
    /// Observes messages of a type: calls the handler with the observer and each message.
    ///
    /// ```swift
    /// observations.observe(center, CoverWanted.self) { library, message in library.load(message.title) }
    /// ```
    ///
    /// The handler runs on the thread that posts, in the order in which observers registered, whatever they ask for.
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
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Observed: Message>(
        _ center: MessageCenter?, _ type: Observed.Type, object: AnyObject? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ message: Observed) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(center, type: ObjectIdentifier(type), of: object, registration, handler: handler)
    }

    /// Observes messages of a type: calls a method of the observer without arguments.
    ///
    /// ```swift
    /// observations.observe(center, CoverWanted.self, action: Library.wakeUp)
    /// ```
    ///
    /// Everything else is as for the form with a closure.
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
    ///   - action: The method. It is not bound to the observer, so nothing is retained.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Observed: Message>(
        _ center: MessageCenter?, _ type: Observed.Type, object: AnyObject? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(center, type: ObjectIdentifier(type), of: object, registration) { (observer, _: Observed) in action(observer)() }
    }

    /// Observes messages of a type: calls a method of the observer with each message.
    ///
    /// ```swift
    /// observations.observe(center, CoverWanted.self, action: Library.coverIsWanted(_:))
    /// ```
    ///
    /// Everything else is as for the form with a closure.
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
    ///   - action: The method. It is not bound to the observer, so nothing is retained.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Observed: Message>(
        _ center: MessageCenter?, _ type: Observed.Type, object: AnyObject? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (Observed) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(center, type: ObjectIdentifier(type), of: object, registration) { (observer, message: Observed) in
            action(observer)(message)
        }
    }

    /// Observes messages of a type: calls the observer's own method.
    ///
    /// ```swift
    /// observations.observe(center, receiving: CoverWanted.self)
    /// ```
    ///
    /// Everything else is as for the form with a closure.
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
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Observed: Message>(
        _ center: MessageCenter?, receiving type: Observed.Type, object: AnyObject? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult where Observer: MessageObserver<Observed> {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(center, type: ObjectIdentifier(type), of: object, registration) { (observer, message: Observed) in
            observer.receive(message)
        }
    }

    /// Removes the observation of messages of a type.
    ///
    /// When it returns, no new call starts, not even in a delivery under way. Exactly what was observed is removed: nil stands for an observation
    /// of any object. `unobserve(center)` removes all.
    ///
    /// - Parameters:
    ///   - center: The observed centre.
    ///   - type: The type that was observed.
    ///   - object: The object that was asked for.
    ///   - tag: The tag that it was observed under, if any.
    /// - Returns: how many observations were removed: one or none.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func unobserve<Observed: Message>(
        _ center: MessageCenter?, _ type: Observed.Type, object: AnyObject? = nil, tag: ObservationTag? = nil
    ) -> Int {
        unobserve(center, MessageCenter.subject(of: type), of: object, tag: tag)
    }
}
