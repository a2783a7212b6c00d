/// Handlers of an actor for subjects that change anywhere.
extension ObservationController where Observer: Sendable {
    /// Observes a key path of an object that may change on any thread: calls the handler on an actor with each change.
    ///
    /// ```swift
    /// observations.observe(download, \.progress, on: archive) { archive, view, download, change in archive.note(change) }
    /// ```
    ///
    /// The actor is kept until the observation ends. Changes are told in the order in which they arrived, each with its own values, one hop after
    /// they were made; by then the property may hold a newer one. When a removal has returned, what is still on its way is not told. A change on
    /// its way keeps its values and the object alive, and not the observer.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - options: What to be told, and when. With `.prior`, the registration is refused.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - actor: Where the handler runs.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the actor, the observer, the object and the change.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func observe<Object: KeyPathObservable & Sendable, Value: Sendable, Isolation: Actor>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: sending RemovingDuplicates<Value>? = nil, on actor: Isolation, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, fileID: StaticString = #fileID, line: UInt = #line,
        handler:
            @escaping @Sendable (_ actor: isolated Isolation, _ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) ->
            Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: ActorTarget(actor),
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let called = unsafe unsafeBitCast(handler, to: ((Isolation, Observer, Object, KeyValueChange<Value>) -> Void).self)
        let handler = { (observer: Observer, object: Object, change: KeyValueChange<Value>) in called(actor, observer, object, change) }
        return observe(object, keyPath, registration, removing: removing, handler: handler)
    }

    /// Observes a key path of an object that may change on any thread: calls the handler on an actor with each value.
    ///
    /// The present value is told first. What is told when, and what a value on its way keeps alive, is as for changes.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - actor: Where the handler runs.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the actor, the observer and the value.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func observe<Object: KeyPathObservable & Sendable, Value: Sendable, Isolation: Actor>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>,
        removing: sending RemovingDuplicates<Value>? = nil, on actor: Isolation, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ actor: isolated Isolation, _ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            options: [.initial, .new], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: ActorTarget(actor),
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd, wantsWholeValues: true)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let called = unsafe unsafeBitCast(handler, to: ((Isolation, Observer, Value) -> Void).self)
        let handler = { (observer: Observer, value: Value) in called(actor, observer, value) }
        return observe(object, keyPath, registration, removing: removing, valueHandler: handler)
    }
}
