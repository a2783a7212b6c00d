/// A class whose key paths an ``ObservationController`` can observe.
///
/// Conform to ``KeyValueObservable``, which refines this protocol. With SafeKVOFoundation, subclasses of `NSObject` conform as well.
///
/// The requirements belong to the library. They let the compiler select, for each class, the code that observes its properties.
public protocol KeyPathObservable: AnyObject {
    /// Registers an observation whose handler takes values.
    func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult

    /// Registers an observation whose handler takes changes.
    func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult

    /// Removes the observation of a key path under a tag.
    ///
    /// - Returns: the number of removed observations.
    func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int
}

/// The arguments of a registration, with the controller that makes it.
///
/// The controller passes this value to the observed object.
public struct _ObservationRequest<Observer: AnyObject>: ~Copyable {
    @usableFromInline package let core: ControllerCore
    @usableFromInline package let registration: Registration

    /// Makes a request from a registration that exists already.
    init(_ core: ControllerCore, _ registration: consuming Registration) {
        self.core = core
        self.registration = registration
    }

    /// Makes a request from the arguments of `observe`.
    ///
    /// The registration is made in place. A copy of it would take a tenth of the time of adding an observation.
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

/// The arguments of a removal: the controller and the tag.
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
    /// Registers an observation with the object's own registrar.
    ///
    /// The handler takes values.
    @inlinable
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        request.core.observe(self, keyPath, request.registration, make: { HandlerInfo(value: $0, handler) })
    }

    /// Registers an observation with the object's own registrar.
    ///
    /// The handler takes changes.
    @inlinable
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        request.core.observe(self, keyPath, request.registration, make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Removes an observation from the object's own registrar.
    @inlinable
    public func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int {
        removal.core.unobserve(self, keyPath, tag: removal.tag)
    }
}
