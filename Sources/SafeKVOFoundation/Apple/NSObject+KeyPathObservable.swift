#if canImport(ObjectiveC)

    public import Foundation
    public import SafeKVO

    extension NSObject: KeyPathObservable {
        /// Registers with Cocoa's key-value observing, or with the object's own registrar if the key path begins at a `KeyValueObservable`
        /// class.
        public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
            _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
            value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
        ) -> ObservationResult {
            request.observe(self, keyPath, of: CocoaSystem.shared, CocoaSystem.path(keyPath), value: handler)
        }

        /// Registers with Cocoa's key-value observing, or with the object's own registrar if the key path begins at a `KeyValueObservable`
        /// class.
        public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
            _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
            change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
        ) -> ObservationResult {
            request.observe(self, keyPath, of: CocoaSystem.shared, CocoaSystem.path(keyPath), change: handler)
        }

        /// Removes the observation of a key path, whether Cocoa or the object's own registrar notifies of its changes.
        public func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int {
            removal.unobserve(self, of: CocoaSystem.shared, CocoaSystem.path(keyPath), keyPath: keyPath)
        }
    }

#endif
