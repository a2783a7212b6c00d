/// Handlers that may run anywhere.
extension ObservationController where Observer: Sendable {
    /// Observes a key path: calls the handler with each change, on whatever thread changes it.
    ///
    /// The handler runs on the thread that makes the change, before the setter returns, wherever the registration was made. It may run on two
    /// threads at once, so what it touches must be safe there.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - options: What to be told, and when.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer, the object and the change.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func observeOnAnyThread<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: nil, isSendable: true,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(object, keyPath, registration, removing: removing, handler: handler)
    }

    /// Observes a key path: calls the handler with each value, on whatever thread changes it.
    ///
    /// The handler runs on the thread that makes the change, before the setter returns, wherever the registration was made. It may run on two
    /// threads at once, so what it touches must be safe there. The present value is told first.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the value.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func observeOnAnyThread<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [.initial, .new], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: nil, isSendable: true,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd, wantsWholeValues: true)
        return observe(object, keyPath, registration, removing: removing, valueHandler: handler)
    }
}
