/// A class whose key paths an ``ObservationController`` can observe.
///
/// Conform to ``KeyValueObservable``, which refines this protocol. With SafeKVOFoundation, subclasses of `NSObject` conform as well.
///
/// Only the library calls the requirements of this protocol. They select the code that observes the properties of a class.
public protocol KeyPathObservable: AnyObject {
    /// Registers an observation whose handler takes the new value.
    func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult

    /// Registers an observation whose handler takes the observed object and the change.
    func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult

    /// Registers an observation whose handler takes the observed object, and the change with values of type `Any`.
    func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        anyChange handler: @escaping (_ observer: Observer, _ object: Object, _ change: AnyKeyValueChange) -> Void
    ) -> ObservationResult

    /// Removes an observation of a key path.
    ///
    /// `removal` contains the controller and the tag of the observation.
    ///
    /// - Returns: the number of removed observations.
    func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int
}

/// The controller that makes a registration, and the arguments of the registration.
///
/// The controller passes this value to the observed object.
public struct _ObservationRequest<Observer: AnyObject>: ~Copyable {
    @usableFromInline package let core: ControllerCore
    @usableFromInline package let registration: Registration

    @_alwaysEmitIntoClient
    @inline(__always)
    init(_ core: ControllerCore, _ registration: consuming Registration) {
        self.core = core
        self.registration = registration
    }
}

/// The controller that removes an observation, and the tag of the observation.
///
/// The controller passes this value to the observed object.
public struct _ObservationRemoval {
    @usableFromInline package let core: ControllerCore
    @usableFromInline package let tag: ObservationTag?

    @_alwaysEmitIntoClient
    init(_ core: ControllerCore, tag: consuming ObservationTag?) {
        self.core = core
        self.tag = tag
    }
}

extension KeyPathObservable {
    /// Registers an observation whose handler takes a change with its value type, and converts each change.
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        anyChange handler: @escaping (_ observer: Observer, _ object: Object, _ change: AnyKeyValueChange) -> Void
    ) -> ObservationResult {
        _observe(keyPath, request, change: { handler($0, $1, AnyKeyValueChange($2, keyPath: keyPath)) })
    }
}

extension KeyValueObservable {
    /// Registers an observation whose handler takes the new value, with the object's registrar.
    @_alwaysEmitIntoClient
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        request.core.observe(self, keyPath, request.registration, make: { HandlerInfo(value: $0, handler) })
    }

    /// Registers an observation whose handler takes the observed object and the change, with the object's registrar.
    @_alwaysEmitIntoClient
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        request.core.observe(self, keyPath, request.registration, make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Registers an observation whose handler takes the observed object, and the change with values of type `Any`.
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        anyChange handler: @escaping (_ observer: Observer, _ object: Object, _ change: AnyKeyValueChange) -> Void
    ) -> ObservationResult {
        request.core.observe(
            self, keyPath, request.registration, make: { SubjectHandlerInfo(anyChange: $0, of: Value.self, handler) })
    }

    /// Removes a controller's observation of a key path from the object's registrar.
    @_alwaysEmitIntoClient
    public func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int {
        removal.core.unobserve(self, keyPath, tag: removal.tag)
    }
}
