/// Several key paths of one object.
extension ObservationController {
    /// Observes several key paths of one object, whose values may be of different types: calls one handler with the changes of each.
    ///
    /// ```swift
    /// observations.observeEach(clock, [\.date, \.zone]) { view, clock, change in
    ///     if change.keyPath == \WallClock.zone { view.zone = clock.zone }
    /// }
    /// ```
    ///
    /// Each key path is an observation of its own: one that is observed already is left as it is, alone, and `.initial` calls once for each.
    /// The handler runs as that of the form with one key path.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPaths: Which of its values.
    ///   - options: What is delivered, and when.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer, the object and the change, which names its key path.
    ///   - onTermination: Called once for each key path, after its last call, with the reason for which the observation ended.
    /// - Returns: what came of each key path, in order.
    /// - Complexity: O(*k*) for *k* key paths.
    @discardableResult
    public func observeEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: AnyKeyValueChange) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return observe(object, keyPaths, registration, handler: handler)
    }

    /// Observes several key paths as the form with a closure, and calls a method of the observer without arguments.
    @discardableResult
    public func observeEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(
            kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return observe(object, keyPaths, registration) { observer, _, _ in action(observer)() }
    }

    /// Observes several key paths as the form with a closure, and calls a method of the observer with the change.
    @discardableResult
    public func observeEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (AnyKeyValueChange) -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(
            kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return observe(object, keyPaths, registration) { observer, _, change in action(observer)(change) }
    }

    /// Observes several key paths as the form with a closure, and calls a method of the observer with the change and the object.
    @discardableResult
    public func observeEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (AnyKeyValueChange, Object) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(
            kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return observe(object, keyPaths, registration) { observer, object, change in action(observer)(change, object) }
    }

    /// Observes several key paths of an object that may change on any thread: calls the handler with each change, where it says.
    ///
    /// ```swift
    /// observations.observeEach(download, all: \.progress, \.name, on: .mainActor { bar, download, change in bar.show(download) })
    /// ```
    ///
    /// The key paths are written one by one, because what hops has to be `Sendable`, and an array of key paths does not say that of its values. See
    /// ``ObservationHandler`` for the places, the order and the lifetimes. Everything else is as for the form with a closure.
    @discardableResult
    public func observeEach<Object: KeyPathObservable & Sendable, each Value>(
        _ object: Object?, all keyPaths: repeat KeyPath<Object, each Value>, options: KeyValueObservingOptions = .new,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationChangeHandler<Observer, Object, AnyKeyValueChange, (repeat each Value)>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(
            handler.place, of: core, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        let request = _ObservationRequest<Observer>(core, registration)
        var results: [ObservationResult] = []
        for keyPath in repeat each keyPaths {
            results.append(
                observe(object, keyPath, request) { observer, object, change in
                    handler.function(observer, object, AnyKeyValueChange(change))
                })
        }
        return results
    }

    /// Observes each of several key paths as a registration says.
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
                return self.observe(object, keyPath, request) { observer, object, change in
                    handler(observer, object, AnyKeyValueChange(change))
                }
            }
            return _openExistential(Swift.type(of: keyPath).valueType, do: observe)
        }
    }
}
