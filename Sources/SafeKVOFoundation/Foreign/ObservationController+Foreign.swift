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
        return core.observe(object as? Object, of: system, path, keyPath: keyPath, registration, make: foreign)
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
    /// `keyPath` is `nil` if the caller gave only a name.
    func observe(
        _ object: AnyObject?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath?,
        _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        observe(object, registration, make: make) {
            object.flatMap { ForeignTarget(of: $0, system, path, keyPath: keyPath, registration) }
        }
    }

    /// Removes an observation that `system` notifies; if there is none, one that the library polls.
    func unobserve(
        _ object: AnyObject?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath? = nil, tag: ObservationTag?
    ) -> Int {
        let record = object.flatMap { PulledRecords.shared.existingRecordInTable(of: $0) }
        let pulled = keyPath.flatMap { record?.pulledList(spelled: $0) }
        return withExtendedLifetime(record) {
            guard let subject = object.flatMap({ ForeignSubject.existing(for: $0, of: system) }) else {
                return unobserve(list: pulled, tag: tag)
            }
            return resolveAndUnobserve(subject, subject.keyValueRegistrar, \ForeignSubject.[path], or: pulled, tag: tag)
        }
    }
}

struct ForeignTarget: ObservationTarget {
    let keyPath: AnyKeyPath?
    private let object: AnyObject
    private let path: ForeignKeyPath
    /// The name of the key path, for people.
    private let name: String
    private let position: SourcePosition
    private let subject: ForeignSubject
    private let target: PathTarget<ForeignSubject, ForeignValue>

    /// Fails if the object is being deallocated.
    init?(
        of object: AnyObject, _ system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath?,
        _ registration: borrowing Registration
    ) {
        guard let subject = ForeignSubject.standing(for: object, of: system) else { return nil }
        self.keyPath = keyPath
        self.object = object
        self.path = path
        self.subject = subject
        position = registration.position
        name = path.isUnnamed ? keyPath?.text ?? path.name : path.name
        target = PathTarget(of: subject, \ForeignSubject.[path], named: name, ofForeign: registration)
    }

    var list: Unretained<ObserverList> { target.list }

    func registrationDidEnd() {
        target.registrationDidEnd()
        if !target.present.isAbsent { return }
        ObservationDiagnostics.warnOnce(
            .nothingObservable, at: position,
            """
            The observation of `\(type(of: object)).\(name)` at \(position) misses changes, because a property on its path cannot be observed. \
            Declare each one `@objc dynamic` in a subclass of `NSObject`. Only the last one may be a collection.
            """)
    }

    func deliverPresent(to info: ObservationInfo) {
        guard path.isUnnamed, let keyPath else { return target.deliverPresent(to: info) }
        let value = Recording.suspended { (object as Any)[keyPath: keyPath] }
        var event = KeyValueEvent(subject: subject, phase: .initial, new: ForeignValue(value: value), old: nil)
        event.deliver(toStarting: info)
    }
}
