/// Objects of other key-value observing systems, as a module that knows one offers them.
extension ObservationController {
    /// Observes a key path by its name: calls the handler with each change.
    package func observe<Object: AnyObject, Value>(
        _ object: Object?, of system: any KeyValueSystem, _ path: ForeignKeyPath, _ registration: consuming Registration,
        removing: RemovingDuplicates<Value>?,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        core.observe(
            object, of: system, path, keyPath: nil, registration.leavingOut(removing),
            make: { SubjectHandlerInfo(foreignChange: $0, handler) }, initial: nil as ((Object) -> Value)?)
    }

    /// Observes a key path by its name: calls the handler with the present value, and then with each new value.
    package func observe<Object: AnyObject, Value>(
        _ object: Object?, of system: any KeyValueSystem, _ path: ForeignKeyPath, _ registration: consuming Registration,
        removing: RemovingDuplicates<Value>?, valueHandler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        core.observe(
            object, of: system, path, keyPath: nil, registration.leavingOut(removing),
            make: { HandlerInfo(foreignValue: $0, valueHandler) }, initial: nil as ((Object) -> Value)?)
    }

    /// Removes the observation of a key path by its name.
    package func unobserve(_ object: AnyObject?, of system: any KeyValueSystem, _ path: ForeignKeyPath, tag: ObservationTag?) -> Int {
        core.unobserve(object, of: system, path, tag: tag)
    }
}

/// What a class of another system needs to be a ``KeyPathObservable``.
extension _ObservationRequest {
    /// Observes a key path that another system announces, or, if its class is a ``KeyValueObservable`` as well, the object itself: calls the
    /// handler with each change.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - keyPath: The key path.
    ///   - system: The system.
    ///   - path: The name of the key path.
    ///   - handler: Called with each change.
    /// - Returns: what came of it.
    package func observe<Object: AnyObject, Value>(
        _ object: AnyObject, _ keyPath: KeyPath<Object, Value>, of system: any KeyValueSystem, _ path: ForeignKeyPath,
        change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        if Object.self is any KeyValueObservable.Type {
            return core.resolveAndObserve(object, ofAnotherClass: keyPath, registration, make: { SubjectHandlerInfo(change: $0, handler) })
        }
        return core.observe(
            object as? Object, of: system, path, keyPath: keyPath, registration, make: { SubjectHandlerInfo(foreignChange: $0, handler) },
            initial: path.isUnnamed ? { $0[keyPath: keyPath] } : nil)
    }

    /// As for changes, and calls the handler with values.
    package func observe<Object: AnyObject, Value>(
        _ object: AnyObject, _ keyPath: KeyPath<Object, Value>, of system: any KeyValueSystem, _ path: ForeignKeyPath,
        value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        if Object.self is any KeyValueObservable.Type {
            return core.resolveAndObserve(object, ofAnotherClass: keyPath, registration, make: { HandlerInfo(value: $0, handler) })
        }
        return core.observe(
            object as? Object, of: system, path, keyPath: keyPath, registration, make: { HandlerInfo(foreignValue: $0, handler) },
            initial: path.isUnnamed ? { $0[keyPath: keyPath] } : nil)
    }
}

extension _ObservationRemoval {
    /// Removes the observation of a key path, whoever announces its changes.
    package func unobserve(
        _ object: AnyObject, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath
    ) -> Int {
        if type(of: keyPath).rootType is any KeyValueObservable.Type, let object = object as? any KeyValueObservable {
            return core.unobserve(object, keyPath, tag: tag)
        }
        return core.unobserve(object, of: system, path, keyPath: keyPath, tag: tag)
    }
}
