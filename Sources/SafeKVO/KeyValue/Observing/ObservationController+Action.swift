extension ObservationController {
    /// Observes a key path: calls a method of the observer without arguments.
    ///
    /// ```swift
    /// observations.observe(clock, \.date, action: ClockView.dateDidChange)
    /// ```
    ///
    /// Everything else is as for the form with a closure that takes the change: the present value is told first if `.initial` is among the options.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - options: What to be told, and when.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - action: The method. It is not bound to the observer, so nothing is retained.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(object, keyPath, registration, removing: removing) { observer, object, change in action(observer)() }
    }

    /// Observes a key path: calls a method of the observer with the change.
    ///
    /// ```swift
    /// observations.observe(clock, \.date, action: ClockView.dateDidChange(_:))
    /// ```
    ///
    /// Everything else is as for the form with a closure that takes the change: the present value is told first if `.initial` is among the options.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - options: What to be told, and when.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - action: The method. It is not bound to the observer, so nothing is retained.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(object, keyPath, registration, removing: removing) { observer, object, change in action(observer)(change) }
    }

    /// Observes a key path: calls a method of the observer with the change and the object.
    ///
    /// ```swift
    /// observations.observe(clock, \.date, action: ClockView.dateDidChange(_:of:))
    /// ```
    ///
    /// Everything else is as for the form with a closure that takes the change: the present value is told first if `.initial` is among the options.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - options: What to be told, and when.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - action: The method. It is not bound to the observer, so nothing is retained.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (KeyValueChange<Value>, Object) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(object, keyPath, registration, removing: removing) { observer, object, change in action(observer)(change, object) }
    }
}
