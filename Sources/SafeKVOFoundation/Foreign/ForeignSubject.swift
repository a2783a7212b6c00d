internal import CSafeKVO
package import SafeKVO

/// What the library knows of an object that another system observes: it stands for the object where observers are kept.
///
/// The object is never referenced weakly for the first time while it is being destroyed, nor retained then; when it goes, everything that was
/// registered for it is ended by its address, before its memory can be used again.
package final class ForeignSubject: SubjectStandIn, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `ledger`, `paths`, `keepers` and `kept` belong to `lock`; the weak reference is written in `init` only;
    // the rest is constant or atomic.

    let system: any KeyValueSystem
    /// The object, unless it is being destroyed.
    package private(set) weak var object: AnyObject?
    // SAFETY: used when the object's token goes, and the object with it, only.
    private let reference: Unretained<AnyObject>
    let observers = ObserverRegistrar()

    private struct Entry {
        let list: ObserverList
        /// How many registrations have found the list and may still hang an info into it.
        var reservations = 0
    }

    private let lock = Lock()
    private var ledger = RegistrationLedger()
    private var paths: [ForeignKeyPath: Entry] = [:]
    /// How many observations keep the object alive.
    private var keepers = 0
    private var kept: AnyObject?

    private static let adoption = Lock()

    private init(_ object: AnyObject, of system: any KeyValueSystem) {
        self.system = system
        self.object = object
        reference = Unretained(object)
        _ = observers.record(of: self, standingFor: object)
    }

    /// What stands for an object, made if there is nothing yet; nil if the object is being destroyed.
    static func standing(for object: AnyObject, of system: any KeyValueSystem) -> ForeignSubject? {
        if let known = existing(for: object, of: system) { return known.object == nil ? nil : known }
        if unsafe Unretained(object).isBeingDestroyed { return nil }
        return adoption.withLock {
            if let known = existing(for: object, of: system) { return known }
            let made = ForeignSubject(object, of: system)
            StandInFinders.shared.add(system)
            system.tie(ForeignSubjectToken(made), to: object)
            return made
        }
    }

    /// What stands for an object, if it was ever observed.
    static func existing(for object: AnyObject, of system: any KeyValueSystem) -> ForeignSubject? {
        (system.token(of: object) as? ForeignSubjectToken)?.subject
    }

    // MARK: Registrations with the system

    /// Registers with the system, or leaves that to the thread that is registering or unregistering something of the object right now.
    ///
    /// That thread calls ``ForeignPath/didRegister(_:)`` of the number's path when it has done so.
    ///
    /// - Returns: `true` if the system has the registration.
    func register(_ number: UInt, for key: String) -> Bool {
        guard case .carryOut = lock.withLock({ ledger.add(number, for: key) }) else { return false }
        return carryOut(for: number)
    }

    /// Ends a registration with the system, unless the object's end does.
    func unregister(_ number: UInt) {
        if case .carryOut = lock.withLock({ ledger.remove(number) }) { _ = carryOut(for: nil) }
    }

    /// Carries out the orders that wait, and tells those who left theirs to this thread.
    ///
    /// - Parameter own: The number that the caller registers.
    /// - Returns: `true` if that was registered.
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
        // The turn is over: what they do now may be getters of the program.
        for number in added { ForeignRegistrations.didRegister(number) }
        return own != nil
    }

    /// The numbers of the registrations that the system has for the object.
    var registeredNumbers: [UInt] { lock.withLock { ledger.numbers } }

    // MARK: Lists

    /// The list of a key path, made if there is none, and kept in the table until ``release(_:_:)``.
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

    /// Ends a reservation.
    func release(_ list: ObserverList, _ path: ForeignKeyPath) {
        var removed: Entry?
        lock.withLock {
            guard paths[path]?.list === list else { return }
            paths[path]?.reservations -= 1
            removed = removeUnused(path)
        }
        withExtendedLifetime(removed) {}
    }

    /// Takes a list out of the table whose last observer has gone.
    func removeIfUnused(_ list: ObserverList, _ path: ForeignKeyPath) {
        let removed = lock.withLock { paths[path]?.list === list ? removeUnused(path) : nil }
        withExtendedLifetime(removed) {}
    }

    private func removeUnused(_ path: ForeignKeyPath) -> Entry? {
        guard let entry = paths[path], entry.reservations == 0, entry.list.isEmpty else { return nil }
        return paths.removeValue(forKey: path)
    }

    /// The list of a key path, if anybody observes it.
    func list(of path: ForeignKeyPath) -> ObserverList? {
        lock.withLock { paths[path]?.list }
    }

    package var record: ObservationRecord { observers.record(of: self) }

    package var keptInfos: [ObservationInfo] { lists.flatMap { $0.infos() } }

    /// The lists of all key paths that are observed.
    var lists: [ObserverList] { lock.withLock { paths.values.map(\.list) } }

    // MARK: Life

    /// Counts in or out an observation that keeps the object alive.
    func countKeeper(_ change: Int) {
        var other = change > 0 ? object : nil
        lock.withLock {
            keepers += change
            // A reference is taken and dropped outside, where what that ends may do as it likes.
            if keepers > 0 ? kept == nil : kept != nil { swap(&kept, &other) }
        }
    }

    /// Ends everything that concerns the object, which is being destroyed: at the system first.
    func objectIsGoing() {
        for (number, key) in lock.withLock({ ledger.close() }) {
            unsafe reference.with { system.unregister(number, for: key, of: $0) }
        }
        let lists = lock.withLock { () -> [ObserverList] in
            defer { paths = [:] }
            return paths.values.map(\.list)
        }
        unsafe observers.record?.with { $0.subjectDidDie(lists: lists) }
    }
}

/// What is tied to the life of an object of another system: its end is the object's.
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
    /// How many observations hang on an object, and which key paths a system has registrations for there: one for each.
    ///
    /// For the tests of this package, which want none left.
    package static func records(of object: AnyObject, in system: any KeyValueSystem) -> (observers: Int, registrations: [String]) {
        guard let subject = existing(for: object, of: system) else { return (0, []) }
        let observers = subject.lists.reduce(0) { $0 + $1.infos().count }
        return (observers, subject.registeredNumbers.map { ForeignRegistrations.name(of: $0) })
    }
}
