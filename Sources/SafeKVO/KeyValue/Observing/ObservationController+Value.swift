extension ObservationController {
    /// Observes a key path: calls the handler with the present value before this returns, then with each new one.
    ///
    /// ```swift
    /// observations.observe(clock, \.date) { view, date in view.date = date }
    /// ```
    ///
    /// The handler runs on the thread that makes the change, before the setter returns, in the order in which observers registered. It
    /// gets the observer, so it need not capture it. It is released when the observation ends.
    ///
    /// No value is handed over after a newer one. If a handler that comes earlier in the order sets the property, this one gets the value that
    /// it set, and not the one before, which ``ObservationCounters/overtaken`` counts. The form that is handed changes gets all of them.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - removing: `.duplicates` leaves out a value that equals the one that was handed over last.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the value.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [.initial, .new], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd, wantsWholeValues: true)
        return observe(object, keyPath, registration, removing: removing, valueHandler: handler)
    }

    /// Observes a key path as a registration says.
    @inlinable
    func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: Registration, removing: RemovingDuplicates<Value>?,
        valueHandler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        guard let object else { return registration.refused(.noObject) }
        guard let removing else { return object._observe(keyPath, _ObservationRequest(core, registration), value: valueHandler) }
        return object._observe(
            keyPath, _ObservationRequest(core, registration.leavingOut(DuplicateFilter(removing))), value: valueHandler)
    }
}
