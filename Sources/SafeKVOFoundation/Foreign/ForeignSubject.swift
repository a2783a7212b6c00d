package import SafeKVO

/// The stand-in of an object that belongs to another key-value observing system, such as Cocoa's.
///
/// Each observed key of the object is observed like a property of its stand-in, and the other system reports the changes. A nested key path
/// is a computed property of the stand-in, whose getter reads one key after the other. So it depends on these keys.
///
/// No code may retain an object during its deallocation. So this class then uses the object's address to end the registrations.
package final class ForeignSubject: KeyValueObservable, SubjectStandIn, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` protects `keys`, `waiting`, `late`, `turn`, `isClosed` and the variables of all keys. The weak
    // reference `object` is written in `init` only. All else is constant or atomic.

    let system: any KeyValueSystem
    package private(set) weak var object: AnyObject?
    // SAFETY: This reference is used only when the observed object is being deallocated and releases its `ForeignSubjectToken`. The
    // object's memory still exists then.
    let reference: Unretained<AnyObject>
    package let keyValueRegistrar = KeyValueRegistrar()

    let lock = Lock()
    private(set) var keys: [String: ForeignKey] = [:]
    /// The keys whose registrations with the other system may have to change.
    var waiting: [ForeignKey] = []
    /// The keys that others have begun to observe meanwhile, perhaps before a registration was complete.
    var late: [ForeignKey] = []
    /// The right to change the registrations: the other system does not allow two threads to do so at one object.
    var turn = Turn()
    var isClosed = false

    private static let adoption = Lock()

    private init(_ object: AnyObject, of system: any KeyValueSystem) {
        self.system = system
        self.object = object
        reference = Unretained(object)
        keyValueRegistrar.record(of: self, standingFor: object)
    }

    /// Finds or makes the ``ForeignSubject`` of an object; `nil` if the object is being deallocated.
    static func standing(for object: AnyObject, of system: any KeyValueSystem) -> ForeignSubject? {
        if let known = existing(for: object, of: system) { return known.object == nil ? nil : known }
        if isBeingDestroyed(object) { return nil }
        let subject = adoption.withLock {
            if let known = existing(for: object, of: system) { return known }
            let made = ForeignSubject(object, of: system)
            system.tie(ForeignSubjectToken(made), to: object)
            return made
        }
        PulledRecords.shared.add(subject.record, ofStandInFor: object)
        return subject
    }

    package static func existing(for object: AnyObject, of system: any KeyValueSystem) -> ForeignSubject? {
        (system.token(of: object) as? ForeignSubjectToken)?.subject
    }

    var record: ObservationRecord { keyValueRegistrar.record(of: self) }

    /// Returns `false`: the other system reports all changes.
    package static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { false }

    // MARK: Values

    /// The value of a key path, which is read key by key.
    subscript(path: ForeignKeyPath) -> ForeignValue {
        get {
            guard var object else { return .absent }
            var value = ForeignValue.absent
            for name in path.keys {
                value = read(name, of: object)
                guard let next = value.value else { return value }
                object = next as AnyObject
            }
            return value
        }
        // Only the other system writes. The setter makes the key path one to a property.
        set {}
    }

    private func read(_ name: String, of object: AnyObject) -> ForeignValue {
        let known = Self.existing(for: object, of: system)?.existingKey(name)
        let key = known ?? (system.canObserve(name, of: object) ? Self.standing(for: object, of: system)?.key(name) : nil)
        guard let key, let subject = key.subject else { return .absent }
        return subject.read(key: key.number, key.keyPath) { ForeignValue(value: system.value(of: name, of: object)) }
    }

    // MARK: Keys

    func existingKey(_ name: String) -> ForeignKey? { lock.withLock { keys[name] } }

    private func key(_ name: String) -> ForeignKey? {
        lock.withLock {
            if keys[name] == nil {
                let (number, keyPath) = (UInt(keys.count) | 1 << (UInt.bitWidth - 1), \ForeignSubject.[ForeignKeyPath(name)])
                _ = list(ofKey: number, keyPath) { list in
                    let key = ForeignKey(name, number, keyPath, of: self, list)
                    keys[name] = key
                    return key
                }
            }
            return keys[name]
        }
    }
}

/// A token that the observed object retains, and whose deallocation ends the object's observations.
final class ForeignSubjectToken: Sendable {
    let subject: ForeignSubject

    init(_ subject: ForeignSubject) {
        self.subject = subject
    }

    deinit {
        subject.objectIsGoing()
    }
}
