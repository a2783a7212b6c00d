/// Objects that may be read anywhere.
extension ObservationController where Observer: Sendable {
    /// Polls a value of an object that may be read anywhere: calls the handler with each change that is found, on no thread in particular.
    ///
    /// ```swift
    /// observations.pollOnAnyThread(download, \.byteCount, every: .seconds(1)) { log, download, change in log.append(change) }
    /// ```
    ///
    /// The key path must be one that may be used anywhere, which that of a property of an actor's class is not. Calls follow each other, each on
    /// whatever thread is free. Everything else is as for values that are polled in an actor's isolation.
    ///
    /// - Parameters:
    ///   - object: What to look at. Polling `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - interval: How long to wait from one look to the next. It must be longer than zero, or the registration is refused;
    ///     one of more than a century is taken for a century.
    ///   - clock: What time is told by.
    ///   - options: What to be told, and when. With `.prior`, the registration is refused.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer, the object and the change, on no thread in particular.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func pollOnAnyThread<Object: AnyObject & Sendable, Value: Equatable & Sendable, PollClock: Clock>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable, every interval: PollClock.Duration,
        clock: PollClock = ContinuousClock(),
        options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: nil, isSendable: true,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return core.poll(
            object, keyPath, every: interval, clock: clock, comparison: .duplicates, hasOwnComparison: false, isolation: nil, registration,
            make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Polls a value of an object that may be read anywhere: calls the handler with the present value before this returns, then with each new one.
    ///
    /// Everything else is as for changes.
    ///
    /// - Parameters:
    ///   - object: What to look at. Polling `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - interval: How long to wait from one look to the next. It must be longer than zero, or the registration is refused;
    ///     one of more than a century is taken for a century.
    ///   - clock: What time is told by.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the value, on no thread in particular.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func pollOnAnyThread<Object: AnyObject & Sendable, Value: Equatable & Sendable, PollClock: Clock>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable, every interval: PollClock.Duration,
        clock: PollClock = ContinuousClock(),
        tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [.initial, .new], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: nil, isSendable: true,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd, wantsWholeValues: true)
        return core.poll(
            object, keyPath, every: interval, clock: clock, comparison: .duplicates, hasOwnComparison: false, isolation: nil, registration,
            make: { HandlerInfo(value: $0, handler) })
    }
}
