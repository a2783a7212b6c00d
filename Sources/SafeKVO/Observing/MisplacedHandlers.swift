/// Functions that a user may try to call. Their compiler errors name the functions to use instead.
extension ObservationHandler {
    /// Unavailable, so that the compiler suggests `mainActor(_:)`.
    @available(*, unavailable, renamed: "mainActor(_:)")
    public static func main(_ handler: @escaping (_ observer: Observer, _ value: Value) -> Void) -> Self { Self(.anyThread, handler) }

    /// Unavailable, so that the compiler suggests `.mainActor { … }`.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'on: .mainActor { observer, value in … }'.")
    public static var main: Self { Self(.anyThread) { _, _ in } }

    /// Unavailable, so that the compiler asks for a handler in braces after `.mainActor`.
    @available(*, unavailable, message: "Pass the handler in 'on:', as in 'on: .mainActor { observer, value in … }'.")
    public static var mainActor: Self { Self(.anyThread) { _, _ in } }

    /// Unavailable, so that the compiler suggests `import SafeKVOFoundation`.
    @available(*, unavailable, message: "Add 'import SafeKVOFoundation' to handle values on a DispatchQueue.")
    @_disfavoredOverload
    public static func queue(_ queue: Any, _ handler: @escaping (_ observer: Observer, _ value: Value) -> Void) -> Self {
        Self(.anyThread, handler)
    }
}

extension ObservationChangeHandler {
    /// Unavailable, so that the compiler suggests `mainActor(_:)`.
    @available(*, unavailable, renamed: "mainActor(_:)")
    public static func main(_ handler: @escaping (_ observer: Observer, _ object: Object, _ change: Change) -> Void) -> Self {
        Self(.anyThread, handler)
    }

    /// Unavailable, so that the compiler suggests `import SafeKVOFoundation`.
    @available(*, unavailable, message: "Add 'import SafeKVOFoundation' to handle changes on a DispatchQueue.")
    @_disfavoredOverload
    public static func queue(
        _ queue: Any, _ handler: @escaping (_ observer: Observer, _ object: Object, _ change: Change) -> Void
    ) -> Self {
        Self(.anyThread, handler)
    }
}

extension ObservationControllerBase {
    /// Unavailable, so that the compiler asks for the handler in the argument `on:`.
    @available(
        *, unavailable,
        message: "Pass the handler in 'on:', as in 'on: .mainActor { … }'. 'on: .queue(queue) { … }' needs 'import SafeKVOFoundation'."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, on place: Any,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult { .refused(.noObject) }

    /// Unavailable, so that the compiler asks for the handler in the argument `on:`.
    @available(
        *, unavailable,
        message: "Pass the handler in 'on:', as in 'on: .mainActor { … }'. 'on: .queue(queue) { … }' needs 'import SafeKVOFoundation'."
    )
    @_disfavoredOverload
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, on place: ObservationHandler<Observer, Value>,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult { .refused(.noObject) }
}

extension ObservationController {
    /// Unavailable, so that the compiler suggests `onChange(of:_:)`.
    @available(*, unavailable, message: "For the old and the new value, use 'onChange(of:_:)'.")
    @_disfavoredOverload
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>,
        handler: @escaping (_ observer: Observer, _ old: Value, _ new: Value) -> Void
    ) -> ObservationResult { .refused(.noObject) }

    /// Unavailable, so that the compiler asks for `options:`.
    @available(*, unavailable, message: "A handler of a change needs 'options:', as in 'options: [.old, .new]'.")
    @_disfavoredOverload
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, fileID: StaticString = #fileID,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult { .refused(.noObject) }
}
