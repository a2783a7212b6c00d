extension ObservationController {
    /// Observes messages with names: calls the handler with the observer and each message.
    ///
    /// ```swift
    /// observations.observe(center, .albumDidChange, object: album) { view, message in view.reload() }
    /// ```
    ///
    /// The handler runs on the thread that posts, in the order in which observers registered, whatever they ask for.
    ///
    /// - Parameters:
    ///   - center: Where to observe. Observing `nil` does nothing.
    ///   - name: Which messages; nil for every name.
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
    public func observe(
        _ center: MessageCenter?, _ name: MessageName?, object: AnyObject? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ message: RawMessage) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(center, name: name, of: object, registration, handler: handler)
    }

    /// Observes messages with names: calls a method of the observer without arguments.
    ///
    /// ```swift
    /// observations.observe(center, .albumDidChange, object: album, action: AlbumView.reload)
    /// ```
    ///
    /// Everything else is as for the form with a closure.
    ///
    /// - Parameters:
    ///   - center: Where to observe. Observing `nil` does nothing.
    ///   - name: Which messages; nil for every name.
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
    public func observe(
        _ center: MessageCenter?, _ name: MessageName?, object: AnyObject? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(center, name: name, of: object, registration) { (observer, _: RawMessage) in
            action(observer)()
        }
    }

    /// Observes messages with names: calls a method of the observer with each message.
    ///
    /// ```swift
    /// observations.observe(center, .albumDidChange, action: AlbumView.albumDidChange(_:))
    /// ```
    ///
    /// Everything else is as for the form with a closure.
    ///
    /// - Parameters:
    ///   - center: Where to observe. Observing `nil` does nothing.
    ///   - name: Which messages; nil for every name.
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
    public func observe(
        _ center: MessageCenter?, _ name: MessageName?, object: AnyObject? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (RawMessage) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(center, name: name, of: object, registration) { (observer, message: RawMessage) in
            action(observer)(message)
        }
    }

    /// Removes the observation of messages with a name.
    ///
    /// When it returns, no new call starts, not even in a delivery under way. Exactly what was observed is removed: nil stands for an observation
    /// of every name, or of any object. `unobserveAll(center, name)` removes the observations of a name for all objects; `unobserve(center)`
    /// removes all.
    ///
    /// - Parameters:
    ///   - center: The observed centre.
    ///   - name: The name that was observed.
    ///   - object: The object that was asked for.
    ///   - tag: The tag that it was observed under, if any.
    /// - Returns: how many observations were removed: one or none.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func unobserve(
        _ center: MessageCenter?, _ name: MessageName?, object: AnyObject? = nil, tag: ObservationTag? = nil
    ) -> Int {
        unobserve(center, name.map { .name($0) } ?? .anyName, of: object, tag: tag)
    }

    /// Removes all observations of messages with a name, of whatever object and under every tag.
    ///
    /// When it returns, no new call starts, not even in a delivery under way. Observations of every name stay.
    ///
    /// - Parameters:
    ///   - center: The observed centre.
    ///   - name: The name.
    /// - Returns: how many observations were removed.
    /// - Complexity: O(*k*) for *k* observations of the centre by this controller.
    @discardableResult
    public func unobserveAll(_ center: MessageCenter?, _ name: MessageName) -> Int {
        unobserveAll(center, .name(name))
    }
}
