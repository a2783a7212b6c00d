/// Objects of other key-value observing systems, as a module that knows one offers them.
extension ObservationController {
    /// Observes a key path: calls the handler with each change.
    package func observe<Object: AnyObject, Value>(
        _ object: Object?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath? = nil, _ registration: Registration,
        removing: RemovingDuplicates<Value>?, initial: ((Object) -> Value)? = nil,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        core.observe(
            object, of: system, path, keyPath: keyPath, registration, removing: removing,
            make: { SubjectHandlerInfo(foreignChange: $0, handler) },
            initial: initial)
    }

    /// Observes a key path: calls the handler with the present value, then with each new one.
    package func observe<Object: AnyObject, Value>(
        _ object: Object?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath? = nil, _ registration: Registration,
        removing: RemovingDuplicates<Value>?, initial: ((Object) -> Value)? = nil,
        valueHandler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        core.observe(
            object, of: system, path, keyPath: keyPath, registration, removing: removing,
            make: { HandlerInfo(foreignValue: $0, valueHandler) }, initial: initial)
    }

    /// Removes the observation of a key path.
    package func unobserve(_ object: AnyObject?, of system: any KeyValueSystem, _ path: ForeignKeyPath, tag: ObservationTag?) -> Int {
        core.unobserve(object, of: system, path, tag: tag)
    }

    /// Removes all observations of an object.
    package func unobserve(_ object: AnyObject?, of system: any KeyValueSystem) -> Int {
        core.unobserve(object, of: system)
    }
}
