extension ObservationController {
    /// Observes a source: calls a method of the observer without arguments.
    ///
    /// ```swift
    /// observations.observe(doorbell, action: House.bark)
    /// ```
    ///
    /// Everything else is as for the form with a closure.
    ///
    /// - Parameters:
    ///   - source: What to observe. Observing `nil` does nothing.
    ///   - tag: Keeps two observations of one source apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the source under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - action: The method. It is not bound to the observer, so nothing is retained.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(source, registration) { observer, _, _ in action(observer)() }
    }

    /// Observes a source: calls a method of the observer with the event.
    ///
    /// ```swift
    /// observations.observe(doorbell, action: House.bark(times:))
    /// ```
    ///
    /// Everything else is as for the form with a closure.
    ///
    /// - Parameters:
    ///   - source: What to observe. Observing `nil` does nothing.
    ///   - tag: Keeps two observations of one source apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the source under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - action: The method. It is not bound to the observer, so nothing is retained.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (Source.Event) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(source, registration) { observer, _, event in action(observer)(event) }
    }
}
