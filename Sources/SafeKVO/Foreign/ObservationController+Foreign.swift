/// Objects of other key-value observing systems, as a module that knows one offers them.
extension ObservationController {
    /// Observes a key path: calls the handler with each change.
    package func observe<Object: AnyObject, Value>(
        _ object: Object?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath? = nil, _ registration: Registration,
        removing: RemovingDuplicates<Value>?, initial: ((Object) -> Value)? = nil,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        typealias Context = ChangeHandlerContext<Observer, Object, Value>
        return core.observe(
            object, of: system, path, keyPath: keyPath, registration, removing: removing, context: Context(handler),
            invoke: { context, info, observer, event in
                let event = unsafe event.assumingType(KeyValueEvent<Value>.self)
                // SAFETY: the context was made above, the observer is the one of the controller, the event comes from the object.
                unsafe event.pointee.header.subject.with { object in
                    unsafe unsafeDowncast(context, to: Context.self).handler(
                        unsafeDowncast(observer, to: Observer.self), unsafeDowncast(object, to: Object.self),
                        KeyValueChange(event, for: info))
                }
                return true
            }, initial: initial)
    }

    /// Observes a key path: calls the handler with the present value, then with each new one.
    package func observe<Object: AnyObject, Value>(
        _ object: Object?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath? = nil, _ registration: Registration,
        removing: RemovingDuplicates<Value>?, initial: ((Object) -> Value)? = nil,
        valueHandler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        typealias Context = ValueHandlerContext<Observer, Value>
        return core.observe(
            object, of: system, path, keyPath: keyPath, registration, removing: removing, context: Context(valueHandler),
            invoke: { context, _, observer, event in
                guard let value = unsafe event.assumingType(KeyValueEvent<Value>.self).pointee.whole else { return false }
                // SAFETY: the context was made above, and the observer is the one of the controller.
                unsafe unsafeDowncast(context, to: Context.self).handler(unsafeDowncast(observer, to: Observer.self), value)
                return true
            }, initial: initial)
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
