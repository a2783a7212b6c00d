extension ObservationController {
    /// Calls a closure once, with the first value of a property that satisfies a condition.
    ///
    /// ```swift
    /// observations.observeOnce(clock, \.hour, where: { $0 > 5 }) { view, hour in
    ///     view.wakeUp()
    /// }
    /// ```
    ///
    /// The observation ends before the handler is called. So the handler may set the property without being called again. If the handler is
    /// called, `onTermination` is called after it, with ``ObservationEndReason/removed``.
    ///
    /// The condition is evaluated where the handler is called. It must not change the property. The counters count each evaluation as a
    /// delivery. If `initial` is `false`, only new values are tested.
    ///
    /// Otherwise this function works like `observe` with a closure that takes a value. After a change of an atomic property outside the
    /// handler's actor, the condition and the handler run later, on the actor. A value that is replaced before that is not tested.
    ///
    /// - Returns: A result that says whether the observation was added. It also says so if the present value has ended the observation at
    ///   once.
    /// - Complexity: O(1), regardless of the number of other observers.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observeOnce<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, where condition: @escaping (_ value: Value) -> Bool,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.closure, .value(initial), tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return observe(object, keyPath, registration, until: condition, isCalledOnce: true, handler)
    }

    /// Calls a closure with each value of a property, up to the first value that satisfies a condition.
    ///
    /// ```swift
    /// observations.observe(download, \.progress, until: { $0 == 1 }) {
    ///     bar, progress in
    ///     bar.progress = progress
    /// }
    /// ```
    ///
    /// The handler also gets the value that satisfies the condition. The observation ends just before this last call. Otherwise
    /// this function works like
    /// ``observeOnce(_:_:initial:where:tag:ifAlreadyObserved:isolation:fileID:line:handler:onTermination:)``.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, until condition: @escaping (_ value: Value) -> Bool,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.closure, .value(initial), tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return observe(object, keyPath, registration, until: condition, isCalledOnce: false, handler)
    }
}

extension ObservationControllerBase {
    /// Calls a handler once, with the first value that satisfies a condition, in the isolation that the handler names.
    ///
    /// ```swift
    /// observations.observeOnce(
    ///     download, \.progress, where: { $0 == 1 },
    ///     on: .mainActor { bar, _ in bar.hide() })
    /// ```
    ///
    /// Any thread may change the object. The condition is evaluated in the isolation in which the handler is called.
    ///
    /// See ``ObservationHandler`` for isolations, order and lifetime. Otherwise this overload works like the one that takes a
    /// closure.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observeOnce<Object: KeyPathObservable & Sendable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true,
        where condition: @escaping @Sendable (_ value: Value) -> Bool, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Value>,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(handler.place, core, .value(initial), tag, ifAlreadyObserved, fileID, line, onTermination)
            .made(in: isolation)
        return observe(object, keyPath, registration, until: condition, isCalledOnce: true, handler.function)
    }

    @_alwaysEmitIntoClient
    func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: consuming Registration,
        until condition: @escaping (_ value: Value) -> Bool, isCalledOnce: Bool,
        _ handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        let (handle, calls) = (ObservationHandle(), NestedCalls())
        return observe(object, keyPath, registration.endedBy(handle)) { observer, value in
            guard let isMet = calls.resultIfNewest({ condition(value) }) else { return }
            // Do not call the handler if the observation has already ended, for example on another thread or in `condition`.
            if isMet ? handle.end() : !isCalledOnce && !handle.hasEnded { handler(observer, value) }
        }
    }
}
