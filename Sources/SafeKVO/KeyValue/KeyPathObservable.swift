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

    init(_ core: ControllerCore, _ registration: consuming Registration) {
        self.core = core
        self.registration = registration
    }

    @usableFromInline
    init(
        _ core: ControllerCore, _ place: HandlerPlace, options: KeyValueObservingOptions, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, position: SourcePosition, onTermination: (@Sendable (ObservationEndReason) -> Void)?,
        wantsWholeValues: Bool = false, filter: AnyObject?
    ) {
        self.core = core
        registration = Registration(
            place, of: core, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, position: position,
            onTermination: onTermination, wantsWholeValues: wantsWholeValues, filter: filter)
    }

    /// Makes a request and its registration.
    ///
    /// The registration is made in place, because copying it is slow.
    @usableFromInline
    init(
        _ core: ControllerCore, kind: ObservationHandlerKind, options: KeyValueObservingOptions, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, isolation: (any Actor)?, position: SourcePosition,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?, wantsWholeValues: Bool = false, filter: AnyObject?
    ) {
        self.core = core
        registration = Registration(
            kind: kind, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation, position: position,
            onTermination: onTermination, wantsWholeValues: wantsWholeValues, filter: filter)
    }
}

/// The controller that removes an observation, and the tag of the observation.
///
/// The controller passes this value to the observed object.
public struct _ObservationRemoval {
    @usableFromInline package let core: ControllerCore
    @usableFromInline package let tag: ObservationTag?

    @inlinable
    init(_ core: ControllerCore, tag: consuming ObservationTag?) {
        self.core = core
        self.tag = tag
    }
}

extension KeyValueObservable {
    /// Registers an observation whose handler takes the new value, with the object's registrar.
    @inlinable
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        request.core.observe(self, keyPath, request.registration, make: { HandlerInfo(value: $0, handler) })
    }

    /// Registers an observation whose handler takes the observed object and the change, with the object's registrar.
    @inlinable
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        request.core.observe(self, keyPath, request.registration, make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Removes a controller's observation of a key path from the object's registrar.
    @inlinable
    public func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int {
        removal.core.unobserve(self, keyPath, tag: removal.tag)
    }
}
