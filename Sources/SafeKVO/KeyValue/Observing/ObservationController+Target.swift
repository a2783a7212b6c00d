/// What all forms come to whose handlers are called elsewhere than where the subject changes.
extension ObservationController where Observer: Sendable {
    /// Observes changes.
    ///
    /// - Parameters:
    ///   - object: What to observe.
    ///   - keyPath: Which of its values.
    ///   - registration: What else the caller said, and where the handler is called.
    ///   - removing: What counts as equal.
    ///   - handler: Called there, and only there.
    /// - Returns: what came of it.
    package func observe<Object: KeyPathObservable & Sendable, Value: Sendable>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, elsewhere registration: Registration, removing: RemovingDuplicates<Value>?,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        observe(object, keyPath, registration, removing: removing, handler: handler)
    }

    /// Observes values.
    ///
    /// - Parameters:
    ///   - object: What to observe.
    ///   - keyPath: Which of its values.
    ///   - registration: What else the caller said, and where the handler is called.
    ///   - removing: What counts as equal.
    ///   - valueHandler: Called there, and only there.
    /// - Returns: what came of it.
    package func observe<Object: KeyPathObservable & Sendable, Value: Sendable>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, elsewhere registration: Registration, removing: RemovingDuplicates<Value>?,
        valueHandler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        observe(object, keyPath, registration, removing: removing, valueHandler: valueHandler)
    }
}
