/// A class whose key paths an ``ObservationController`` can observe.
///
/// Conform to ``KeyValueObservable``, which refines this protocol; with SafeKVOFoundation, each subclass of `NSObject` conforms as well. The
/// requirements belong to the library: they decide, where a program is compiled, what announces the changes of an object.
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
    func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int
}

/// What a controller hands to the object that it observes: itself, and what the caller asked for.
public struct _ObservationRequest<Observer: AnyObject>: ~Copyable {
    @usableFromInline package let core: ControllerCore
    @usableFromInline package let registration: Registration

    /// Of a registration that is there already, which is copied.
    init(_ core: ControllerCore, _ registration: consuming Registration) {
        self.core = core
        self.registration = registration
    }

    /// Of what the caller said: the registration is made in place, because a copy would cost a tenth of adding an observation.
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

/// What a controller hands to the object that it ceases to observe.
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
    /// Registers with the object's own registrar.
    @inlinable
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        request.core.observe(self, keyPath, request.registration, make: { HandlerInfo(value: $0, handler) })
    }

    /// Registers with the object's own registrar.
    @inlinable
    public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        request.core.observe(self, keyPath, request.registration, make: { SubjectHandlerInfo(change: $0, handler) })
    }

    /// Removes from the object's own registrar.
    @inlinable
    public func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int {
        removal.core.unobserve(self, keyPath, tag: removal.tag)
    }
}
