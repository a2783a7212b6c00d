/// What is said of a key path that is written as a string.
///
/// The forms with `Any` are for closures that do not tell what they make of the value.
extension ObservationController {
    /// Not available: write a key path.
    @available(*, unavailable, message: "write a key path, such as \\.load, instead of a string")
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: String, options: KeyValueObservingOptions = [], tag: ObservationTag? = nil,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        preconditionFailure("A key path was written as a string.")
    }

    /// Not available: write a key path.
    @available(*, unavailable, message: "write a key path, such as \\.load, instead of a string")
    @discardableResult
    public func observe<Object: KeyPathObservable>(
        _ object: Object?, _ keyPath: String, options: KeyValueObservingOptions = [], tag: ObservationTag? = nil,
        handler: @escaping (_ observer: Observer, _ value: Any) -> Void
    ) -> ObservationResult {
        preconditionFailure("A key path was written as a string.")
    }

    /// Not available: write a key path.
    @available(*, unavailable, message: "write a key path, such as \\.load, instead of a string")
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: String, options: KeyValueObservingOptions = [], tag: ObservationTag? = nil,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        preconditionFailure("A key path was written as a string.")
    }

    /// Not available: write a key path.
    @available(*, unavailable, message: "write a key path, such as \\.load, instead of a string")
    @discardableResult
    public func observe<Object: KeyPathObservable>(
        _ object: Object?, _ keyPath: String, options: KeyValueObservingOptions = [], tag: ObservationTag? = nil,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Any>) -> Void
    ) -> ObservationResult {
        preconditionFailure("A key path was written as a string.")
    }

    /// Not available: write a key path.
    @available(*, unavailable, message: "write a key path, such as \\.load, instead of a string")
    @discardableResult
    public func observe<Object: KeyPathObservable, Method>(
        _ object: Object?, _ keyPath: String, options: KeyValueObservingOptions = [], tag: ObservationTag? = nil,
        action: @escaping (Observer) -> Method
    ) -> ObservationResult {
        preconditionFailure("A key path was written as a string.")
    }

    /// Not available: write a key path.
    @available(*, unavailable, message: "write a key path, such as \\.load, instead of a string")
    @discardableResult
    public func unobserve<Object: KeyPathObservable>(_ object: Object?, _ keyPath: String, tag: ObservationTag? = nil) -> Int {
        preconditionFailure("A key path was written as a string.")
    }
}
