/// What it means to observe a key path of an object of another system.
extension ControllerCore {
    /// Observes a key path.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - system: The system that tells of its changes.
    ///   - path: The key path by name.
    ///   - keyPath: The key path as it was given, if it was not given by name.
    ///   - registration: What the caller asked for.
    ///   - make: Makes the info.
    ///   - initial: The present value, where the system cannot read it.
    /// - Returns: what came of it.
    func observe<Object: AnyObject, Value>(
        _ object: Object?, of system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath?,
        _ registration: borrowing Registration,
        make: InfoParts.Maker, initial: ((Object) -> Value)?
    ) -> ObservationResult {
        observe(object, registration, make: make) {
            object.flatMap { ForeignTarget(of: $0, system, path, keyPath: keyPath, registration, initial: initial) }
        }
    }

    /// Removes the observation of a key path, also that of a value that is looked at.
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

/// A key path of an object of another system.
struct ForeignTarget<Object: AnyObject, Value>: ObservationTarget {
    let keyPath: AnyKeyPath?
    private let object: Object
    private let subject: ForeignSubject
    private let path: ForeignKeyPath
    private let position: SourcePosition
    private let observers: ObserverList
    private let initial: ((Object) -> Value)?

    /// Nothing, if the object is being deallocated.
    init?(
        of object: Object, _ system: any KeyValueSystem, _ path: ForeignKeyPath, keyPath: AnyKeyPath?,
        _ registration: borrowing Registration,
        initial: ((Object) -> Value)?
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
        subject.release(observers, path)
    }

    func deliverPresent(to info: ObservationInfo) {
        let number = info.lastChange
        let isRead = info.flags.contains(.newValue)
        let known = isRead ? initial.map { initial in ForeignValue(value: Recording.suspended { initial(object) }) } : nil
        let path = observers.hook as? ForeignPath
        let value = isRead ? known ?? path?.read() : nil
        path?.noteInitial(value, info)
        var event = KeyValueEvent(subject: object, phase: .initial, new: value, old: nil)
        event.header.number = number
        event.deliver(toStarting: info)
    }
}
