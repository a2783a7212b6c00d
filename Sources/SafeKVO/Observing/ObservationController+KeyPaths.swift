extension ObservationController {
    /// Calls one closure with each change of several properties, which may have different types.
    ///
    /// ```swift
    /// observations.observeEach(clock, [\.date, \.zone]) { view, clock, change in
    ///     if change.keyPath == \WallClock.zone { view.zone = clock.zone }
    /// }
    /// ```
    ///
    /// Each key path gets an observation of its own. If one of them is already observed, the others are still added. With `.initial` in the
    /// options, the handler is called once for each key path before this function returns.
    ///
    /// The handler runs on the thread that makes the change, before the setter returns. If the array of key paths is empty, the library
    /// reports a warning. There is no `removing:`, because the values have different types. To leave out equal values, register the key
    /// paths one by one with `observe`.
    ///
    /// - Parameters:
    ///   - object: The object to observe. If it is `nil`, nothing is registered.
    ///   - keyPaths: The key paths from the object to the values.
    ///   - options: The values that each change contains (`.new`, `.old`), and additional calls (`.initial`, `.prior`).
    ///   - tag: A tag that tells apart two observations of one key path.
    ///   - ifAlreadyObserved: The action if the controller already observes this key path of the object with this tag.
    ///   - handler: A closure that takes the observer, the object and the change. The change names its key path.
    ///   - onTermination: Called once for each key path, after the last handler call for that key path, with the reason why the observation
    ///     ended.
    /// - Returns: The results of the registrations, in the order of the key paths.
    /// - Complexity: O(*k*) for *k* key paths.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observeEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: AnyKeyValueChange) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(.closure, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return observe(object, keyPaths, registration, handler: handler)
    }

    /// Calls a method of the observer, without arguments, for each change of several properties.
    ///
    /// A method that is named through its class, such as `View.update`, retains nothing. For a method that takes the change, pass a closure that
    /// calls it: `{ view, clock, change in view.update(change) }`. Otherwise this overload works like the one that takes a closure.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observeEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(.action, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return observe(object, keyPaths, registration) { observer, _, _ in action(observer)() }
    }
}

extension ObservationControllerBase {
    /// Calls a handler with each change of several properties, in the isolation that the handler names.
    ///
    /// ```swift
    /// observations.observeEach(
    ///     download, all: \.progress, \.name,
    ///     on: .mainActor { bar, download, change in bar.show(download) })
    /// ```
    ///
    /// Any thread may change the object. A value that is delivered in another isolation must be `Sendable`. An array of key paths hides
    /// the types of the values from the compiler, so write the key paths one by one after `all:`.
    ///
    /// See ``ObservationHandler`` for isolations, order and lifetime. Otherwise this overload works like the one that takes a
    /// closure.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observeEach<Object: KeyPathObservable & Sendable, each Value>(
        _ object: Object?, all keyPaths: repeat KeyPath<Object, each Value>, options: KeyValueObservingOptions = .new,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationChangeHandler<Observer, Object, AnyKeyValueChange, (repeat each Value)>,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(handler.place, core, options, tag, ifAlreadyObserved, fileID, line, onTermination)
            .made(in: isolation)
        let request = _ObservationRequest<Observer>(core, registration)
        var results: [ObservationResult] = []
        for keyPath in repeat each keyPaths {
            let result = object?._observe(keyPath, request, anyChange: handler.function)
            results.append(result ?? request.registration.refused(.noObject))
        }
        return results
    }

    @usableFromInline
    func observe<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], _ registration: consuming Registration,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: AnyKeyValueChange) -> Void
    ) -> [ObservationResult] {
        if keyPaths.isEmpty { registration.warnOfNoKeyPaths(of: Object.self) }
        let request = _ObservationRequest<Observer>(core, registration)
        return keyPaths.map { keyPath in
            func observe<Value>(_ type: Value.Type) -> ObservationResult {
                guard let keyPath = keyPath as? KeyPath<Object, Value> else {
                    preconditionFailure("Internal error of SafeKVO: a key path does not lead to `\(type)`. Please report it.")
                }
                let result = object?._observe(keyPath, request, anyChange: handler)
                return result ?? request.registration.refused(.noObject)
            }
            return _openExistential(Swift.type(of: keyPath).valueType, do: observe)
        }
    }
}
