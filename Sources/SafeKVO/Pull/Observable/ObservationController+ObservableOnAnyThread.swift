public import Observation

/// Objects of Swift's own `@Observable` that may be used anywhere.
extension ObservationController where Observer: Sendable {
    /// Observes a key path of a `Sendable` object of Swift's own `@Observable`: calls the handler with each change that is found, on no thread in particular.
    ///
    /// The value is read one hop after a change was announced, so that changes that come faster are told as one. The key path must be one that may be
    /// used anywhere, which that of a property of an actor's class is not. Calls follow each other, each on whatever thread is free.
    ///
    /// Swift says that a change will come, and not that it has. One that is made only after the value was read because of its announcement is told with the
    /// next change: <doc:Pull>. Where that matters, poll, or use ``AtomicObserved``.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - options: What to be told, and when. With `.prior`, the registration is refused.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer, the object and the change, on no thread in particular.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @_disfavoredOverload
    @discardableResult
    public func observeOnAnyThread<Object: AnyObject & Observable & Sendable, Value: Sendable>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable, options: KeyValueObservingOptions = .new,
        removing: sending RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: nil, isSendable: true,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return core.track(
            object, keyPath, registration, removing: removing, isolation: nil, make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Observes a key path of a `Sendable` object of Swift's own `@Observable`: calls the handler with the present value first, then on no thread in particular.
    ///
    /// Everything else is as for changes.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - removing: `.duplicates` leaves out values that equal the one before.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the value, on no thread in particular.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @_disfavoredOverload
    @discardableResult
    public func observeOnAnyThread<Object: AnyObject & Observable & Sendable, Value: Sendable>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable,
        removing: sending RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [.initial, .new], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: nil, isSendable: true,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd, wantsWholeValues: true)
        return core.track(object, keyPath, registration, removing: removing, isolation: nil, make: { HandlerInfo(value: $0, handler) })
    }
}
