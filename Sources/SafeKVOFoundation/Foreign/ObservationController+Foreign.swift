package import SafeKVO

extension ObservationControllerBase {
    package func observe<Object: AnyObject, Value>(
        _ object: Object?, of system: any KeyValueSystem, _ path: ForeignKeyPath, _ registration: borrowing Registration,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        core.observe(
            object, of: system, path, keyPath: nil, registration,
            make: { SubjectHandlerInfo(foreignChange: $0, handler) })
    }

    package func observe<Object: AnyObject, Value>(
        _ object: Object?, of system: any KeyValueSystem, _ path: ForeignKeyPath, _ registration: borrowing Registration,
        valueHandler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        core.observe(
            object, of: system, path, keyPath: nil, registration,
            make: { HandlerInfo(foreignValue: $0, valueHandler) })
    }

    package func unobserve(_ object: AnyObject?, of system: any KeyValueSystem, _ path: ForeignKeyPath, tag: ObservationTag?) -> Int {
        core.unobserve(object, of: system, path, tag: tag)
    }
}

extension _ObservationRequest {
    package func observe<Object: AnyObject, Value>(
        _ object: AnyObject, _ keyPath: KeyPath<Object, Value>, of system: any KeyValueSystem, _ path: ForeignKeyPath,
        change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        observe(
            object, keyPath, of: system, path, native: { SubjectHandlerInfo(change: $0, handler) },
            foreign: { SubjectHandlerInfo(foreignChange: $0, handler) })
    }

    package func observe<Object: AnyObject, Value>(
        _ object: AnyObject, _ keyPath: KeyPath<Object, Value>, of system: any KeyValueSystem, _ path: ForeignKeyPath,
        value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        observe(
            object, keyPath, of: system, path, native: { HandlerInfo(value: $0, handler) },
            foreign: { HandlerInfo(foreignValue: $0, handler) })
    }

    private func observe<Object: AnyObject, Value>(
        _ object: AnyObject, _ keyPath: KeyPath<Object, Value>, of system: any KeyValueSystem, _ path: ForeignKeyPath,
        native: InfoParts.Maker, foreign: InfoParts.Maker
    ) -> ObservationResult {
        if Object.self is any KeyValueObservable.Type {
            return core.resolveAndObserve(object, ofAnotherClass: keyPath, registration, make: native)
        }
        let object = object as? Object
        return core.observe(
            object, of: system, path, keyPath: keyPath, registration, make: foreign,
            initial: path.isUnnamed ? object.map { object in { object[keyPath: keyPath] } } : nil)
    }
}

extension _ObservationRemoval {
    package func unobserve(
        _ object: AnyObject, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath
    ) -> Int {
        if type(of: keyPath).rootType is any KeyValueObservable.Type, let object = object as? any KeyValueObservable {
            return core.unobserve(object, keyPath, tag: tag)
        }
        return core.unobserve(object, of: system, path, keyPath: keyPath, tag: tag)
    }
}

extension ControllerCore {
    /// Observes a key path of an object through another key-value observing system, such as Cocoa's.
    ///
    /// `keyPath` is `nil` if the caller gave only a name. `initial` reads the initial value; `nil` if the system reads it by name.
    func observe(
        _ object: AnyObject?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath?,
        _ registration: borrowing Registration, make: InfoParts.Maker, initial: (() -> Any)? = nil
    ) -> ObservationResult {
        observe(object, registration, make: make) {
            object.flatMap { ForeignTarget(of: $0, system, path, keyPath: keyPath, registration, initial: initial) }
        }
    }

    /// Removes an observation that `system` notifies; if there is none, one that the library polls.
    func unobserve(
        _ object: AnyObject?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath? = nil, tag: ObservationTag?
    ) -> Int {
        let list = object.flatMap { ForeignSubject.existing(for: $0, of: system) }?.list(of: path)
        let record = object.flatMap { PulledRecords.shared.existingRecordInTable(of: $0) }
        let pulled = keyPath.flatMap { record?.pulledList(spelled: $0) }
        return withExtendedLifetime((list, record)) {
            unobserve(list: list.map { Unretained($0) } ?? pulled, or: pulled, tag: tag)
        }
    }
}

struct ForeignTarget: ObservationTarget {
    let keyPath: AnyKeyPath?
    private let object: AnyObject
    private let subject: ForeignSubject
    private let path: ForeignKeyPath
    private let position: SourcePosition
    private let observers: ObserverList
    private let initial: (() -> Any)?

    /// Fails if the object is being deallocated.
    init?(
        of object: AnyObject, _ system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath?,
        _ registration: borrowing Registration, initial: (() -> Any)?
    ) {
        guard let subject = ForeignSubject.standing(for: object, of: system) else { return nil }
        self.keyPath = keyPath
        self.object = object
        self.subject = subject
        self.path = path
        self.initial = initial
        position = registration.position
        observers = subject.reserve(path)
    }

    var list: Unretained<ObserverList> { Unretained(observers) }

    func registrationDidEnd() {
        (observers.hook as? ForeignPath)?.warnIfUnobservable(position)
        subject.release(observers, path, reservations: 1)
    }

    func deliverPresent(to info: ObservationInfo) {
        let number = info.lastChange
        let path = observers.hook as? ForeignPath
        var value: ForeignValue?
        if info.flags.contains(.newValue) { value = initial.map { ForeignValue(value: Recording.suspended($0)) } ?? path?.read() }
        path?.noteInitial(value, info)
        var event = KeyValueEvent(subject: object, phase: .initial, new: value, old: nil)
        event.deliver(toStarting: info, readAfter: number)
    }
}
