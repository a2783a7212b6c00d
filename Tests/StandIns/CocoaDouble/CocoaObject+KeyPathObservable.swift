public import SafeKVO
internal import SafeKVOFoundation

/// As `NSObject` conforms in SafeKVOFoundation.
extension CocoaObject: KeyPathObservable {
    /// The value of the one key that a key path names.
    package var a: Int { value(forKey: "a") as? Int ?? 0 }

    private static func path(_ keyPath: AnyKeyPath) -> ForeignKeyPath {
        keyPath == \CocoaObject.a ? ForeignKeyPath("a") : ForeignKeyPath(unnamed: keyPath)
    }

    /// Registers with the runtime.
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        request.observe(self, keyPath, of: runtime, Self.path(keyPath), value: handler)
    }

    /// Registers with the runtime.
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        request.observe(self, keyPath, of: runtime, Self.path(keyPath), change: handler)
    }

    /// Removes the observation of a key path.
    public func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int {
        removal.unobserve(self, of: runtime, Self.path(keyPath), keyPath: keyPath)
    }
}
