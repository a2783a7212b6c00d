/// Values that are not `Equatable`.
extension ObservationController {
    /// Polls a value that cannot be compared by itself: calls the handler with each change that is found.
    ///
    /// ```swift
    /// observations.poll(player, \.item, every: .seconds(1), removing: .duplicates(by: ===)) { view, player, change in view.reload() }
    /// ```
    ///
    /// It has a timer of its own. Everything else is as for values that are `Equatable`.
    ///
    /// - Parameters:
    ///   - object: What to look at. Polling `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - interval: How long to wait from one look to the next. It must be longer than zero, or the registration is refused;
    ///     one of more than a century is taken for a century.
    ///   - clock: What time is told by.
    ///   - options: What to be told, and when. With `.prior`, the registration is refused.
    ///   - removing: `.duplicates(by:)` says which values are the same.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer, the object and the change.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func poll<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        options: KeyValueObservingOptions = .new, removing: RemovingDuplicates<Value>, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return core.poll(
            object, keyPath, every: interval, clock: clock, comparison: removing, hasOwnComparison: true, isolation: isolation,
            registration,
            make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Polls a value that cannot be compared by itself: calls the handler with the present value before this returns, then with each new one.
    ///
    /// Everything else is as for changes.
    ///
    /// - Parameters:
    ///   - object: What to look at. Polling `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - interval: How long to wait from one look to the next. It must be longer than zero, or the registration is refused;
    ///     one of more than a century is taken for a century.
    ///   - clock: What time is told by.
    ///   - removing: `.duplicates(by:)` says which values are the same.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the value.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func poll<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        removing: RemovingDuplicates<Value>, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [.initial, .new], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd, wantsWholeValues: true)
        return core.poll(
            object, keyPath, every: interval, clock: clock, comparison: removing, hasOwnComparison: true, isolation: isolation,
            registration,
            make: { HandlerInfo(value: $0, handler) })
    }
}
