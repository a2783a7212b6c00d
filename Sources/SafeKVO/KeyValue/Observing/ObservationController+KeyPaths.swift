extension ObservationController {
    /// Observes several key paths of one object, whose values may be of different types: one handler is told which changed.
    ///
    /// ```swift
    /// observations.observe(clock, [\.date, \.zone]) { view, clock, change in
    ///     if change.keyPath == \WallClock.zone { view.zone = clock.zone }
    /// }
    /// ```
    ///
    /// Each key path is an observation of its own: one that is observed already is left as it is, alone, and `.initial` calls once for each.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPaths: Which of its values.
    ///   - options: What to be told, and when.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer, the object and the change, which names its key path.
    ///   - onEnd: Called once for each key path, after its last call, with the reason for which the observation ended.
    /// - Returns: what came of each key path, in order.
    /// - Complexity: O(*k*) for *k* key paths.
    @discardableResult
    public func observe<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new,
        tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: AnyKeyValueChange) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(
            kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(object, keyPaths, registration) { observer, object, change in handler(observer, object, change) }
    }

    /// Opens the type of each key path's value.
    func observe<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], _ registration: Registration,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: AnyKeyValueChange) -> Void
    ) -> [ObservationResult] {
        if keyPaths.isEmpty { registration.warnOfNoKeyPaths(of: Object.self) }
        return keyPaths.map { keyPath in
            func observe<Value>(_ type: Value.Type) -> ObservationResult {
                guard let keyPath = keyPath as? KeyPath<Object, Value> else {
                    preconditionFailure("Internal inconsistency: a key path to \(type) is not one.")
                }
                return self.observe(object, keyPath, registration, removing: nil) { observer, object, change in
                    handler(observer, object, AnyKeyValueChange(change))
                }
            }
            return _openExistential(Swift.type(of: keyPath).valueType, do: observe)
        }
    }
}
