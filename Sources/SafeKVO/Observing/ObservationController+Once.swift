/// Observations that end themselves.
extension ObservationController {
    /// Observes a key path until a value satisfies a condition: calls the handler once, with that value.
    ///
    /// ```swift
    /// observations.observeOnce(clock, \.hour, where: { $0 > 5 }) { view, hour in view.wakeUp() }
    /// ```
    ///
    /// The observation has ended when the handler is called, so that a change which the handler makes does not call it again. The condition is evaluated on
    /// the thread that makes the change, and must make none itself. Each value that it is asked about counts as a delivery. Everything else is as for the
    /// form of `observe` that takes values.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - initial: `false` leaves out the present value: only new values are considered.
    ///   - condition: Says of a value whether it is the one.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the value.
    ///   - onTermination: Called once, after the handler, with the reason for which the observation ended: ``ObservationEndReason/removed`` if the handler was
    ///     called.
    /// - Returns: whether the observation was added; it was even if the present value has ended it again.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func observeOnce<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, where condition: @escaping (_ value: Value) -> Bool,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true)
        let handle = ObservationHandle()
        return observe(
            object, keyPath, _ObservationRequest(core, registration.endedBy(handle)),
            valueHandler: handle.handler(where: condition, calling: handler))
    }

    /// Observes a key path of an object that may change on any thread until a value satisfies a condition: calls the handler once, with that value, where it
    /// says.
    ///
    /// ```swift
    /// observations.observeOnce(download, \.progress, where: { $0 == 1 }, on: .mainActor { bar, _ in bar.hide() })
    /// ```
    ///
    /// The condition is evaluated where the handler is called. See ``ObservationHandler`` for the places, the order and the lifetimes. Everything else is as
    /// for the form with a closure.
    @discardableResult
    public func observeOnce<Object: KeyPathObservable & Sendable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true,
        where condition: @escaping @Sendable (_ value: Value) -> Bool, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            handler.place, of: core, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true)
        let handle = ObservationHandle()
        return observe(
            object, keyPath, _ObservationRequest(core, registration.endedBy(handle)),
            valueHandler: handle.handler(where: condition, calling: handler.function))
    }

    /// Observes a key path until a value satisfies a condition: calls the handler with each value, that one included.
    ///
    /// ```swift
    /// observations.observe(download, \.progress, until: { $0 == 1 }) { bar, progress in bar.progress = progress }
    /// ```
    ///
    /// The observation has ended when the handler is called with the last value. Everything else is as for
    /// ``observeOnce(_:_:initial:where:tag:ifAlreadyObserved:isolation:fileID:line:handler:onTermination:)``.
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, until condition: @escaping (_ value: Value) -> Bool,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true)
        let handle = ObservationHandle()
        return observe(
            object, keyPath, _ObservationRequest(core, registration.endedBy(handle)),
            valueHandler: handle.handler(until: condition, calling: handler))
    }
}

extension ObservationHandle {
    /// Makes a handler that ends the observation with the first value that satisfies a condition, and is called with that value only.
    fileprivate func handler<Observer, Value>(
        where condition: @escaping (_ value: Value) -> Bool, calling handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> (_ observer: Observer, _ value: Value) -> Void {
        { observer, value in
            // The condition may have ended the observation, or another value, on another thread.
            if condition(value), self.end() { handler(observer, value) }
        }
    }

    /// Makes a handler that ends the observation with the first value that satisfies a condition, and is called with each value.
    fileprivate func handler<Observer, Value>(
        until condition: @escaping (_ value: Value) -> Bool, calling handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> (_ observer: Observer, _ value: Value) -> Void {
        { observer, value in
            if condition(value) ? self.end() : !self.hasEnded { handler(observer, value) }
        }
    }
}
