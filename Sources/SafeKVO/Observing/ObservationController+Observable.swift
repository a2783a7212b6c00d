public import Observation

extension ObservationController {
    /// Calls a closure with each change of an `@Observable` object's property.
    ///
    /// ```swift
    /// observations.observe(model, \.count, options: [.old, .new]) {
    ///     view, model, change in
    ///     view.countDidChange(change)
    /// }
    /// ```
    ///
    /// The property may be stored, computed or nested, if it reads `@Observable` objects. `@Observable` notifies before a change, and only
    /// once for each read. So this function differs from the observation of an ``Observed`` property:
    ///
    /// - Call it on the actor that owns the object, usually the main actor. Code without an isolation cannot call it. For a `Sendable`
    ///   object, such code can call the overload with `on:`.
    /// - A change is delivered later: before the next change, or when the actor finishes its present work, whichever comes first. The
    ///   property still has the new value then. From Swift 6.4 on, a change that is made on the actor is delivered before the assignment
    ///   returns, with the exceptions that <doc:Models> names.
    /// - Each change that is made on the actor is delivered with its own values. If changes are made outside the actor, several of them may
    ///   be delivered as one.
    /// - If another thread makes a change, the library may read the value before that change is complete. The change is then delivered
    ///   together with the next one, or from Swift 6.4 on after it is complete. See <doc:Models>.
    /// - If an assignment puts a new object into a nested key path, that object is observed only after the assignment was delivered.
    /// - If an `Equatable` property is set to an equal value, `@Observable` does not notify.
    /// - All changes inside `withBatchedChanges` are delivered later, as one change.
    /// - If the controller does not retain the object, the observation ends shortly after the object is deallocated.
    ///
    /// With `.prior` in the options, the handler is also called before each change that is made on the actor.
    ///
    /// - Parameters:
    ///   - object: The object to observe. If it is `nil`, nothing is registered.
    ///   - keyPath: The key path from the object to the value.
    ///   - options: The values that each change contains (`.new`, `.old`), and additional calls (`.initial`, `.prior`).
    ///   - removing: `.duplicates` to skip a change whose old value and new value are equal.
    ///   - tag: A tag that tells apart two observations of one key path.
    ///   - ifAlreadyObserved: The action if the controller already observes this key path of the object with this tag.
    ///   - handler: A closure that takes the observer, the object and the change.
    ///   - onTermination: Called once, after the last call of the handler, with the reason why the observation ended.
    /// - Returns: A result that says whether the observation was added.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Object: AnyObject & Observable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated any Actor = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.closure, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
        return core.track(
            object, keyPath, registration, isolation: isolation, make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Calls a closure with the present value of an `@Observable` object's property, then with each new one.
    ///
    /// ```swift
    /// observations.observe(model, \.count) { view, count in view.count = count }
    /// ```
    ///
    /// The first call happens before this function returns, unless `initial` is `false`. Each later call happens some time after
    /// the change, in the isolation in which this function is called. Otherwise this overload works like the one that takes a
    /// closure with a change.
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Object: AnyObject & Observable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            .closure, .value(initial), tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
        return core.track(
            object, keyPath, registration, isolation: isolation, make: { HandlerInfo(value: $0, handler) })
    }

    /// Returns the values of an `@Observable` object's property as an asynchronous sequence: the present value, then each new one.
    ///
    /// ```swift
    /// for await count in observations.values(of: model, \.count) { … }
    /// ```
    ///
    /// If the object is `nil`, the sequence is empty. The sequence stays in the isolation of the caller.
    ///
    /// Each new value arrives some time after the change. The overload of `observe` that takes a closure with a change explains when
    /// changes are noticed. See ``ObservationSequence`` for the lifetime of the sequence.
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public func values<Object: AnyObject & Observable, Value: Sendable>(
        of object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        buffering: ObservationBuffering = .unbounded, isolation: isolated any Actor = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Value> {
        ObservationSequence(
            SequenceSource.sequence(buffering: buffering) { source in
                core.track(
                    object, keyPath, source.registration(.value(initial), .isolation(isolation), fileID, line, removing?.filter),
                    isolation: isolation,
                    make: { [elements = source.elements] in
                        HandlerInfo<AnyObject, Value>(value: $0) { _, value in elements.yield(value) }
                    })
            })
    }
}

extension ObservationControllerBase {
    /// Calls a handler with each change of an `@Observable` object's property, in the isolation that the handler names.
    ///
    /// ```swift
    /// observations.observe(
    ///     counter, \.count, options: .old,
    ///     on: .anyThread { meter, counter, change in meter.show(change) })
    /// ```
    ///
    /// Any thread may change the object. The library notices a change after it was made, on one of its own threads. Several quick
    /// changes may be delivered as one. A registration with `.prior` in its options is refused. See ``ObservationHandler`` for
    /// isolations, order and lifetime. Otherwise this overload works like the one without `on:`.
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Object: AnyObject & Observable & Sendable, Value>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable, options: KeyValueObservingOptions,
        removing: SharedRemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationChangeHandler<Observer, Object, KeyValueChange<Value>, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(handler.place, core, options, tag, ifAlreadyObserved, fileID, line, onTermination, removing?.filter)
        return core.track(
            object, keyPath, registration, isolation: nil, make: { SubjectHandlerInfo(change: $0, handler.function(of: keyPath)) })
    }

    /// Calls a handler with each value of an `@Observable` object's property, in the isolation that the handler names.
    ///
    /// ```swift
    /// observations.observe(
    ///     counter, \.count, on: .anyThread { meter, count in meter.write(count) })
    /// ```
    ///
    /// Any thread may change the object. The library notices a change after it was made, on one of its own threads. Several quick
    /// changes may be delivered as one. See ``ObservationHandler`` for isolations, order and lifetime.
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Object: AnyObject & Observable & Sendable, Value>(
        _ object: Object?, _ keyPath: any KeyPath<Object, Value> & Sendable, initial: Bool = true,
        removing: SharedRemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationHandler<Observer, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            handler.place, core, .value(initial), tag, ifAlreadyObserved, fileID, line, onTermination, removing?.filter)
        return core.track(
            object, keyPath, registration, isolation: nil, make: { HandlerInfo(value: $0, handler.function) })
    }
}
