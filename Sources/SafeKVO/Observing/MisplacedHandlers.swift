/// Places that do not exist under these names, for the compiler to say which do.
extension ObservationHandler {
    /// Says what to write for the main actor.
    @available(*, unavailable, renamed: "mainActor(_:)")
    public static func main(_ handler: @escaping (_ observer: Observer, _ value: Value) -> Void) -> Self { Self(.anyThread, handler) }

    /// Says what to write for the main actor.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'on: .mainActor { observer, value in … }'.")
    public static var main: Self { Self(.anyThread) { _, _ in } }

    /// Says what to write for the main actor.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'on: .mainActor { observer, value in … }'.")
    public static var mainActor: Self { Self(.anyThread) { _, _ in } }

    /// Says where the queues are.
    @available(*, unavailable, message: "Add 'import SafeKVOFoundation' to handle values on a DispatchQueue.")
    @_disfavoredOverload
    public static func queue(_ queue: Any, _ handler: @escaping (_ observer: Observer, _ value: Value) -> Void) -> Self {
        Self(.anyThread, handler)
    }
}

extension ObservationChangeHandler {
    /// Says what to write for the main actor.
    @available(*, unavailable, renamed: "mainActor(_:)")
    public static func main(_ handler: @escaping (_ observer: Observer, _ object: Object, _ change: Change) -> Void) -> Self {
        Self(.anyThread, handler)
    }

    /// Says where the queues are.
    @available(*, unavailable, message: "Add 'import SafeKVOFoundation' to handle changes on a DispatchQueue.")
    @_disfavoredOverload
    public static func queue(
        _ queue: Any, _ handler: @escaping (_ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        Self(.anyThread, handler)
    }
}

extension ObservationController {
    /// Says where the handler belongs.
    @available(
        *, unavailable,
        message: "Pass the handler in 'on:', as in 'on: .mainActor { … }'. 'on: .queue(queue) { … }' needs 'import SafeKVOFoundation'."
    )
    @_disfavoredOverload
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, on place: Any,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult { .refused(.noObject) }

    /// Says where the handler belongs.
    @available(
        *, unavailable,
        message: "Pass the handler in 'on:', as in 'on: .mainActor { … }'. 'on: .queue(queue) { … }' needs 'import SafeKVOFoundation'."
    )
    @_disfavoredOverload
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, on place: ObservationHandler<Observer, Value>,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult { .refused(.noObject) }
}
