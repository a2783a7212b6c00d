/// Observers that are actors, and observe what they own.
extension ObservationController where Observer: Actor {
    /// Observes a key path of an object that the observer owns: calls the handler, inside the observer, with each change.
    ///
    /// ```swift
    /// observations.observe(thermometer, \.degrees, options: [.old, .new]) { station, thermometer, change in station.log(change) }
    /// ```
    ///
    /// The handler runs when the actor's own code makes the change, before the setter returns. A change made elsewhere, which takes a subject that
    /// is shared, is not told here but reported and counted; the forms with `on:` are for such subjects.
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
    ///   - handler: Called with the actor, the object and the change.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: observer,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the broker calls the handler only if the observer's code is running.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Object, KeyValueChange<Value>) -> Void).self)
        return observe(object, keyPath, registration, removing: removing, handler: handler)
    }

    /// Observes a key path of an object that the observer owns: calls the handler, inside the observer, with each value.
    ///
    /// ```swift
    /// observations.observe(thermometer, \.degrees) { station, degrees in station.degrees = degrees }
    /// ```
    ///
    /// The handler runs when the actor's own code makes the change, before the setter returns.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the actor and the value.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [.initial, .new], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: observer,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd, wantsWholeValues: true)
        // SAFETY: the broker calls the handler only if the observer's code is running.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self)
        return observe(object, keyPath, registration, removing: removing, valueHandler: handler)
    }
}
