internal import CSafeKVO
package import SafeKVO

/// The observers of an object that belongs to another key-value observing system, such as Cocoa's.
///
/// No code may retain an object during its deallocation. So this class then uses the object's address to end the registrations.
package final class ForeignSubject: SubjectStandIn, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` protects `ledger`, `paths`, `keepers` and `kept`. The weak reference `object` is written in
    // `init` only. All else is constant or atomic.

    let system: any KeyValueSystem
    package private(set) weak var object: AnyObject?
    // SAFETY: This reference is used only when the observed object is being deallocated and releases its `ForeignSubjectToken`. The
    // object's memory still exists then.
    private let reference: Unretained<AnyObject>
    let observers = ObserverRegistrar()

    private struct Entry {
        let list: ObserverList
        /// The number of `observe` calls in progress that may still add an observer to `list`.
        var reservations = 0
    }

    private let lock = Lock()
    private var ledger = RegistrationLedger()
    private var paths: [ForeignKeyPath: Entry] = [:]
    private var keepers = 0
    private var kept: AnyObject?

    private static let adoption = Lock()

    private init(_ object: AnyObject, of system: any KeyValueSystem) {
        self.system = system
        self.object = object
        reference = Unretained(object)
        _ = observers.record(of: self, standingFor: object)
    }

    /// Finds or makes the ``ForeignSubject`` of an object; `nil` if the object is being deallocated.
    static func standing(for object: AnyObject, of system: any KeyValueSystem) -> ForeignSubject? {
        if let known = existing(for: object, of: system) { return known.object == nil ? nil : known }
        if isBeingDestroyed(object) { return nil }
        return adoption.withLock {
            if let known = existing(for: object, of: system) { return known }
            let made = ForeignSubject(object, of: system)
            StandInFinders.shared.add(system)
            system.tie(ForeignSubjectToken(made), to: object)
            return made
        }
    }

    static func existing(for object: AnyObject, of system: any KeyValueSystem) -> ForeignSubject? {
        (system.token(of: object) as? ForeignSubjectToken)?.subject
    }

    // MARK: Registrations with the system

    /// Registers a key of the object; returns `true` if this call made the registration.
    ///
    /// If another thread is changing the object's registrations, that thread makes this one, too, and then calls
    /// ``ForeignPath/didRegister(_:)``.
    func register(_ number: UInt, for key: String) -> Bool {
        lock.withLock { ledger.add(number, for: key) } && carryOut(for: number)
    }

    func unregister(_ number: UInt) {
        if lock.withLock({ ledger.remove(number) }) { _ = carryOut(for: nil) }
    }

    /// Carries out the requests of all threads in `ledger` to make or end registrations with the other system, such as Cocoa.
    ///
    /// Returns `true` if that includes the caller's own request to make the registration with the number `own`.
    private func carryOut(for own: UInt?) -> Bool {
        guard let object else {
            lock.withLock { ledger.giveUp() }
            return false
        }
        var added: [UInt] = []
        while let order = lock.withLock({ ledger.next() }) {
            switch order {
            case .add(let number, let key):
                system.register(number, for: key, of: object)
                if number != own { added.append(number) }
            case .remove(let number, let key): system.unregister(number, for: key, of: object)
            }
        }
        // Other threads requested these registrations and did not wait. Inform their key paths that the registrations are now made. This
        // comes last, because it may run getters of the program.
        for number in added { ForeignRegistrations.didRegister(number) }
        return own != nil
    }

    var registeredNumbers: [UInt] { lock.withLock { ledger.numbers } }

    // MARK: Lists

    /// Finds or makes the list of a key path's observers.
    ///
    /// The caller must call ``release(_:_:reservations:)`` later. Until then, the list is kept, even if it is empty.
    func reserve(_ path: ForeignKeyPath) -> ObserverList {
        var made: ObserverList?
        while true {
            let found = lock.withLock { () -> ObserverList? in
                if paths[path] != nil {
                    paths[path]?.reservations += 1
                } else if let made {
                    paths[path] = Entry(list: made, reservations: 1)
                }
                return paths[path]?.list
            }
            if let found { return found }
            made = ObserverList(keeping: record, events: ForeignValue.self, hook: ForeignPath(path, of: self))
        }
    }

    func release(_ list: ObserverList, _ path: ForeignKeyPath, reservations: Int) {
        let removed = lock.withLock { () -> Entry? in
            guard paths[path]?.list === list else { return nil }
            paths[path]?.reservations -= reservations
            return paths[path]?.reservations == 0 && list.isEmpty ? paths.removeValue(forKey: path) : nil
        }
        withExtendedLifetime(removed) {}
    }

    func list(of path: ForeignKeyPath) -> ObserverList? {
        lock.withLock { paths[path]?.list }
    }

    package var record: ObservationRecord { observers.record(of: self) }

    package var keptInfos: [ObservationInfo] { lists.flatMap { $0.infos() } }

    var lists: [ObserverList] { lock.withLock { paths.values.map(\.list) } }

    // MARK: Life

    /// Adds 1 or -1 to the number of observations that retain the observed object.
    ///
    /// While that number is not zero, `kept` retains the object.
    func countKeeper(_ change: Int) {
        var other = change > 0 ? object : nil
        lock.withLock {
            keepers += change
            // While `keepers` is greater than zero, `kept` must retain the observed object; otherwise `kept` must be nil. The swap moves a
            // removed reference to `other`, which is released after unlocking, because the release may run code of the program.
            if keepers > 0 ? kept == nil : kept != nil { swap(&kept, &other) }
        }
    }

    func objectIsGoing() {
        for (number, key) in lock.withLock({ ledger.close() }) {
            unsafe reference.with { system.unregister(number, for: key, of: $0) }
        }
        let lists = lock.withLock { () -> [ObserverList] in
            defer { paths = [:] }
            return paths.values.map(\.list)
        }
        observers.record?.subjectDidDie(lists: lists)
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

extension ForeignSubject {
    package static func records(of object: AnyObject, in system: any KeyValueSystem) -> (observers: Int, registrations: [String]) {
        guard let subject = existing(for: object, of: system) else { return (0, []) }
        let observers = subject.lists.reduce(0) { $0 + $1.infos().count }
        return (observers, subject.registeredNumbers.map { ForeignRegistrations.name(of: $0) })
    }
}

/// A key-value observing system outside this library, such as Cocoa's.
///
/// Cocoa raises exceptions for wrong calls, so the library keeps these rules:
///
/// - It ends each registration once.
/// - It ends a registration only after it was made, and while the object's memory still exists.
/// - It reads a value only after ``canObserve(_:of:)`` has returned `true`.
package protocol KeyValueSystem: StandInFinder {
    /// Registers for the changes of a key, under the given number.
    ///
    /// Before and after each change, the system must call ``ForeignRegistrations/report(_:_:)`` on the changing thread. The system must not
    /// read the values.
    func register(_ number: UInt, for key: String, of object: AnyObject)

    /// Must not retain the object, which may be in its `deinit`.
    func unregister(_ number: UInt, for key: String, of object: AnyObject)

    func canObserve(_ key: String, of object: AnyObject) -> Bool

    func value(of key: String, of object: AnyObject) -> Any?

    /// Converts the other system's ordered collection, such as an `NSArray`, to an array; returns `nil` if `value` is no ordered
    /// collection.
    func elements(of value: Any) -> [Any]?

    func token(of object: AnyObject) -> AnyObject?

    /// Makes an object retain a token, so that `token(of:)` finds the token until the object is deallocated.
    ///
    /// The object must release the token before the object's memory can be reused. Only one thread at a time calls this function.
    func tie(_ token: AnyObject, to object: AnyObject)
}

extension KeyValueSystem {
    package func standIn(for object: AnyObject) -> (any SubjectStandIn)? { ForeignSubject.existing(for: object, of: self) }
}
