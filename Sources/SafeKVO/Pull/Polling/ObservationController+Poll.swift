extension ObservationController {
    /// Polls a value that does not announce its changes: calls the handler with each change that is found.
    ///
    /// ```swift
    /// observations.poll(file, \.size, every: .seconds(1), options: [.old, .new]) { view, file, change in view.sizeDidChange(change) }
    /// ```
    ///
    /// Any value of any class will do. It is read once in each interval, and told if it differs from the one that was read last; what was and
    /// went in between is not seen. Reading and telling is done where this is called: on the main actor, or in an actor that polls what it
    /// owns. From code that belongs to no actor it does not compile; what is `Sendable` is polled there with
    /// ``pollOnAnyThread(_:_:every:clock:options:tag:ifAlreadyObserved:fileID:line:handler:onEnd:)``.
    ///
    /// Looks are due at multiples of the interval from the registration on, however late one of them comes; those that were missed are left out.
    /// There is one timer for all who poll a value of an object in one place at one interval by one clock, and none when nobody does. A later
    /// observer is told no change that came before it: its registration looks, and tells the others.
    ///
    /// A clock that fails ends the observations that wait for it, with the reason ``ObservationEndReason/clockFailed`` and a warning. It has failed
    /// if its `sleep` throws although nobody cancelled it. A later registration starts a new timer.
    ///
    /// Everything else is as for observed properties, but for this: when the object goes that a controller does not retain, the next look
    /// notices. An object keeps nothing for whom polls it, unless it is ``KeyValueObservable``.
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
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer, the object and the change.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func poll<Object: AnyObject, Value: Equatable, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return core.poll(
            object, keyPath, every: interval, clock: clock, comparison: .duplicates, hasOwnComparison: false, isolation: isolation,
            registration,
            make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Polls a value that does not announce its changes: calls the handler with the present value before this returns, then with each new one.
    ///
    /// ```swift
    /// observations.poll(file, \.size, every: .seconds(1)) { view, size in view.size = size }
    /// ```
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
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the value.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func poll<Object: AnyObject, Value: Equatable, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock = ContinuousClock(),
        tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [.initial, .new], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd, wantsWholeValues: true)
        return core.poll(
            object, keyPath, every: interval, clock: clock, comparison: .duplicates, hasOwnComparison: false, isolation: isolation,
            registration,
            make: { HandlerInfo(value: $0, handler) })
    }
}
