extension ObservationController {
    /// Observes a key path: calls the handler with each change, told as the options ask.
    ///
    /// ```swift
    /// observations.observe(clock, \.zone, options: [.old, .new]) { view, clock, change in
    ///     view.log("\(change.oldValue) became \(change.newValue)")
    /// }
    /// ```
    ///
    /// The handler runs on the thread that makes the change, before the setter returns, in the order in which observers registered. It may
    /// read and set the property; a set in a handler is a change of its own, told at once. It is released when the observation ends.
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
    ///   - handler: Called with the observer, the object and the change.
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
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(object, keyPath, registration, removing: removing, handler: handler)
    }

    /// Observes a key path as a registration says.
    @inlinable
    func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: Registration, removing: RemovingDuplicates<Value>?,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        guard let object else { return registration.refused(.noObject) }
        // A copy of the registration would cost a tenth of adding an observation.
        guard let removing else { return object._observe(keyPath, _ObservationRequest(core, registration), change: handler) }
        return object._observe(
            keyPath, _ObservationRequest(core, registration.leavingOut(DuplicateFilter(removing))), change: handler)
    }
}
