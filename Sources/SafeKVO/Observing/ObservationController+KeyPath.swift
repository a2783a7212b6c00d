extension ObservationController {
    /// Calls a closure with the present value of a property, then with each new one.
    ///
    /// ```swift
    /// observations.observe(clock, \.date) { view, date in view.date = date }
    /// ```
    ///
    /// The first call happens before this function returns, unless `initial` is `false`. Each later call happens on the thread that changes
    /// the property, before the setter returns. Observers are called in the order in which they registered.
    ///
    /// A value is never delivered after a newer one. Suppose that another observer's handler sets the property before this handler is
    /// called. Then this handler gets only the newer value, and ``ObservationCounters/overtaken`` counts the skipped one. To get every
    /// change, use the overload with `options:`.
    ///
    /// If code on an actor calls `observe`, the handler runs on that actor only. After a change outside the actor of an ``AtomicObserved``
    /// property or an ``ObservedValue`` that the key path reads, the handler is called later, on the actor, with the present value.
    /// It does not matter what else the key path reads. Any other change outside the actor is not delivered; the library counts and reports
    /// it.
    ///
    /// ## Lifetime
    ///
    /// The handler gets the observer as a parameter and need not capture it. The controller never retains the observer. It retains the
    /// object until the observation ends, unless the controller was made with `retainsObserved: false`. The handler is released when the
    /// observation ends.
    ///
    /// - Parameters:
    ///   - object: The object to observe. If it is `nil`, nothing is registered.
    ///   - keyPath: The key path from the object to the value.
    ///   - initial: `false` to leave out the present value. Then the handler is called with new values only.
    ///   - removing: `.duplicates` to skip a value that equals the last delivered value.
    ///   - tag: A tag that tells apart two observations of one key path.
    ///   - ifAlreadyObserved: The action if the controller already observes this key path of the object with this tag.
    ///   - handler: A closure that takes the observer and the value.
    ///   - onTermination: Called once, after the last call of the handler, with the reason why the observation ended.
    /// - Returns: A result that says whether the observation was added.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            .closure, .value(initial), tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
        return observe(object, keyPath, registration, valueHandler: handler)
    }

    /// Calls a closure with each change of a property.
    ///
    /// ```swift
    /// observations.observe(clock, \.zone, options: [.old, .new]) {
    ///     view, clock, change in
    ///     view.log("\(change.oldValue) became \(change.newValue)")
    /// }
    /// ```
    ///
    /// The handler runs on the thread that makes the change, before the setter returns. Observers are called in the order in which they
    /// registered. With `.initial` in the options, the handler is also called once before this function returns.
    ///
    /// The handler may read and set the property. If it sets the property, that is a separate change, and observers are notified of it
    /// before the assignment returns.
    ///
    /// If code on an actor calls `observe`, the handler runs on that actor only. A change that is made outside the actor is not delivered;
    /// the library counts and reports it. To get such changes, observe values of an ``AtomicObserved`` property, or pass `on:`.
    ///
    /// ## Lifetime
    ///
    /// The controller never retains the observer. It retains the object until the observation ends, unless the controller was made with
    /// `retainsObserved: false`. The handler is released when the observation ends.
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
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.closure, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
        return observe(object, keyPath, registration, handler: handler)
    }

    /// Calls a method of the observer, without arguments: first for the present value of a property, then for each new one.
    ///
    /// ```swift
    /// observations.observe(clock, \.date, action: ClockView.redraw)
    /// ```
    ///
    /// A method that is named through its class, as here, retains nothing. It runs on the thread that makes the change, before the setter
    /// returns. Otherwise this overload works like the one that takes a closure with a value.
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, action: @escaping (Observer) -> () -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            .action, .value(initial), tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
        return observe(object, keyPath, registration, valueHandler: { observer, _ in action(observer)() })
    }

    /// Calls a method of the observer with the present value of a property, then with each new one.
    ///
    /// ```swift
    /// observations.observe(clock, \.date, action: ClockView.show(_:))
    /// ```
    ///
    /// A method that is named through its class, as here, retains nothing. It runs on the thread that makes the change, before the setter
    /// returns. Otherwise this overload works like the one that takes a closure with a value.
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, action: @escaping (Observer) -> (Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            .action, .value(initial), tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
        return observe(object, keyPath, registration, valueHandler: { observer, value in action(observer)(value) })
    }

    /// Calls a method of the observer with each change of a property.
    ///
    /// ```swift
    /// observations.observe(
    ///     clock, \.date, options: .old, action: ClockView.dateDidChange(_:))
    /// ```
    ///
    /// A method that is named through its class, as here, retains nothing. It runs on the thread that makes the change, before the setter
    /// returns. Otherwise this overload works like the one that takes a closure with a change.
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (KeyValueChange<Value>) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.action, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
        return observe(object, keyPath, registration) { observer, _, change in action(observer)(change) }
    }

    /// Calls a method of the observer with each change of a property and with the observed object.
    ///
    /// ```swift
    /// observations.observe(
    ///     clock, \.date, options: .old, action: ClockView.dateDidChange(_:of:))
    /// ```
    ///
    /// A method that is named through its class, as here, retains nothing. It runs on the thread that makes the change, before the setter
    /// returns. Otherwise this overload works like the one that takes a closure with a change.
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (KeyValueChange<Value>, Object) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.action, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
        return observe(object, keyPath, registration) { observer, object, change in action(observer)(change, object) }
    }
}

extension ObservationControllerBase {
    /// Calls a handler with each value of a property, in the isolation that the handler names.
    ///
    /// ```swift
    /// observations.observe(
    ///     download, \.progress,
    ///     on: .mainActor { bar, progress in bar.progress = progress })
    /// ```
    ///
    /// Any thread may change the object. A change that is made in another isolation is delivered later, in the handler's
    /// isolation, here the main actor. With `.anyThread`, the handler is called on the thread that makes the change. A computed or nested
    /// key path is evaluated only in the isolation of the caller of this function.
    ///
    /// The present value is delivered first, unless `initial` is `false`. That delivery happens before this function returns if the handler
    /// is `.anyThread`, or if it is `.mainActor` and this function is called on the main actor. Otherwise it happens later.
    ///
    /// See ``ObservationHandler`` for isolations, order and lifetime. Otherwise this overload works like the one that takes a closure with
    /// a value.
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Object: KeyPathObservable & Sendable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: SharedRemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Value>,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            handler.place, core, .value(initial), tag, ifAlreadyObserved, fileID, line, onTermination, removing?.filter
        ).made(in: isolation)
        return observe(object, keyPath, registration, valueHandler: handler.function)
    }

    /// Calls a handler with each change of a property, in the isolation that the handler names.
    ///
    /// ```swift
    /// observations.observe(
    ///     download, \.progress, options: .old,
    ///     on: .mainActor { bar, download, change in bar.show(change) })
    /// ```
    ///
    /// Any thread may change the object. A change that is made in another isolation is delivered later, in the handler's
    /// isolation, here the main actor. A registration with `.prior` in its options is refused, unless the handler is `.anyThread`. A
    /// computed or nested key path is evaluated only in the isolation of the caller of this function.
    ///
    /// See ``ObservationHandler`` for isolations, order and lifetime. Otherwise this overload works like the one that takes a closure with
    /// a change.
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Object: KeyPathObservable & Sendable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions,
        removing: SharedRemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationChangeHandler<Observer, Object, KeyValueChange<Value>, Value>,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            handler.place, core, options, tag, ifAlreadyObserved, fileID, line, onTermination, removing?.filter
        ).made(in: isolation)
        return observe(object, keyPath, registration, handler: handler.function(of: keyPath))
    }
}

// The plain overloads of these functions take a `column`. So these, with fewer parameters, are the more specialized ones. Otherwise a call
// would be ambiguous.
extension ObservationController where Observer: Actor {
    /// Calls a closure on the observing actor with each value of a property, for an object that the actor owns.
    ///
    /// ```swift
    /// observations.observe(tank, \.level) { plant, level in
    ///     plant.levels.append(level)
    /// }
    /// ```
    ///
    /// The handler gets the actor as an `isolated` parameter and need not capture it. The present value is delivered first, unless
    /// `initial` is `false`.
    ///
    /// Call this function in a method of the actor, or in a function that takes the actor as an `isolated` parameter. Otherwise the
    /// registration is refused. In all else this overload works like the one for observers that are not actors.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            .closure, .value(initial), tag, ifAlreadyObserved, of: core, isolation, fileID, line, onTermination, removing?.filter)
        // SAFETY: The cast drops only `@Sendable` and `isolated`, and the library calls the closure on the observing actor.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self)
        return observe(object, keyPath, registration, valueHandler: handler)
    }

    /// Calls a closure on the observing actor with each change of a property, for an object that the actor owns.
    ///
    /// ```swift
    /// observations.observe(tank, \.level, options: .old) {
    ///     plant, tank, change in
    ///     plant.levels.append(change.oldValue ?? 0)
    /// }
    /// ```
    ///
    /// The handler gets the actor as an `isolated` parameter and need not capture it. A change that is made outside the actor is counted
    /// but not delivered.
    ///
    /// Call this function in a method of the actor, or in a function that takes the actor as an `isolated` parameter. Otherwise the
    /// registration is refused. In all else this overload works like the one for observers that are not actors.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            .closure, options, tag, ifAlreadyObserved, of: core, isolation, fileID, line, onTermination, removing?.filter)
        // SAFETY: The cast drops only `@Sendable` and `isolated`, and the library calls the closure on the observing actor.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Object, KeyValueChange<Value>) -> Void).self)
        return observe(object, keyPath, registration, handler: handler)
    }
}

extension ObservationControllerBase {
    @_alwaysEmitIntoClient
    func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: consuming Registration,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        guard let object else { return registration.refused(.noObject) }
        return object._observe(keyPath, _ObservationRequest(core, registration), change: handler)
    }

    @_alwaysEmitIntoClient
    func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: consuming Registration,
        valueHandler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        guard let object else { return registration.refused(.noObject) }
        return object._observe(keyPath, _ObservationRequest(core, registration), value: valueHandler)
    }
}

extension ObservationController where Observer: KeyValueObserver {
    /// Calls the observer's ``KeyValueObserver/observeChange(_:of:context:)`` with each change of a property.
    ///
    /// The method is called on the thread that makes the change, before the setter returns. With `.initial` in the options, it is also
    /// called once before this function returns. The observer gets `context` with each change, to tell its observations apart.
    ///
    /// Otherwise this overload works like the one that takes a closure with a change.
    ///
    /// - Returns: A result that says whether the observation was added.
    /// - Complexity: O(1), regardless of the number of other observers.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        context: Observer.Context, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.context, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
        return observe(object, keyPath, registration) { observer, object, change in
            observer.observeChange(AnyKeyValueChange(change, keyPath: keyPath), of: object, context: context)
        }
    }

    /// Calls the observer's ``KeyValueObserver/observeChange(_:of:context:)`` with each change of several properties.
    ///
    /// Each key path gets an observation of its own. The method runs on the thread that makes the change, before the setter
    /// returns.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observeEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        context: Observer.Context, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(.context, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return observe(object, keyPaths, registration) { observer, object, change in
            observer.observeChange(change, of: object, context: context)
        }
    }
}
