internal import CSafeKVO
internal import Synchronization

/// A value that an observed object stores, and that refers to the *record* of all observations of the object.
///
/// The record is made when the object is first observed. The deallocation of the object destroys the registrar, which
/// ends all observations of the object.
@usableFromInline
package struct ObserverRegistrar: ~Copyable, Sendable {
    @usableFromInline let stored = OnceReference<ObservationRecord>()

    @_alwaysEmitIntoClient
    package init() {}

    deinit { stored.with { $0.registrarDidDie() } }

    @_alwaysEmitIntoClient
    package var isIdle: Bool {
        @inline(__always) get { stored.isEmpty }
    }

    /// The record of the object's observations, or `nil` if the object has never been observed.
    package var record: ObservationRecord? { stored.object }

    /// Calls a closure with the record of the object's observations, or returns `nil` if the object has never been observed.
    @_alwaysEmitIntoClient
    @inline(__always)
    package func withRecord<Result>(_ body: (ObservationRecord) -> Result) -> Result? { stored.with(body) }

    /// Calls a closure with the record of all observations of `subject`, or returns `nil` if `subject` was never observed.
    ///
    /// Stops the program if this registrar belongs to another object than `subject`.
    @inline(__always)
    func withRecord<Result>(ownedBy subject: AnyObject, _ role: Role, _ body: (ObservationRecord) -> Result) -> Result? {
        stored.with { record in
            if !record.isRecord(of: Unretained(subject)) { role.refuse(type(of: subject)) }
            return body(record)
        }
    }

    /// Returns the record of all observations of the object, and makes the record if there is none.
    ///
    /// Stops the program if `subject` does not store this registrar, which might then be destroyed too early.
    ///
    /// - Parameter object: The observed object, if `subject` is a stand-in that keeps the observers for it; otherwise `nil`.
    package func record(of subject: AnyObject, standingFor object: AnyObject? = nil, _ role: Role = .keyValue) -> ObservationRecord {
        record(of: subject, role) { ObservationRecord(subject: subject, standingFor: object, role) }
    }

    /// Returns the list of a property of `subject`, and makes it if there is none; it then does not know a key path yet.
    func list(of key: PropertyKey, in subject: AnyObject) -> ObserverList {
        let record = record(of: subject, .keyValue) { ObservationRecord(subject: subject, first: key) }
        return record.properties.list(where: { $0.property == key.number }, orMake: { ObserverList(of: key, record: record) })
    }

    @inline(__always)
    private func record(of subject: AnyObject, _ role: Role, orMake make: () -> ObservationRecord) -> ObservationRecord {
        if let record = withRecord(ownedBy: subject, role, { $0 }) { return record }
        if !StoredPlace(of: stored.word).isInside(subject) { role.refuse(type(of: subject)) }
        return stored.store(make())
    }

    @usableFromInline
    package enum Role {
        case keyValue
        case source

        var property: String { self == .source ? "eventRegistrar" : "keyValueRegistrar" }

        var declaration: String { "let \(property) = \(self == .source ? "EventRegistrar<Event>" : "KeyValueRegistrar")()" }

        func refuse(_ type: AnyClass) -> Never {
            FatalMistake.stop(
                """
                `\(type).\(property)` is not stored in the object itself. Declare it as a stored property: \
                `\(declaration)`. A computed property, or the registrar of another object, cannot be used.
                """)
        }
    }
}

/// The address of a stored value, which shows whether the value lies inside a given object.
///
/// The library refuses a value that lies elsewhere, for example a registrar that a computed property returns. Such a value could be
/// destroyed before the object.
struct StoredPlace {
    private let address: UInt

    init(of word: borrowing Atomic<UInt>) {
        // SAFETY: the address is only compared, not dereferenced. An atomic value cannot be copied, so the
        // address is that of its storage.
        address = unsafe withUnsafePointer(to: word) { UInt(bitPattern: $0) }
    }

    func isInside(_ object: AnyObject) -> Bool {
        let start = Unretained(object).word
        return address > start && address - start < Self.size(of: object)
    }

    /// The size of an object in bytes.
    static func size(of object: AnyObject) -> UInt {
        // SAFETY: a class reference is the address of the class's metadata, from which the runtime reads the size of
        // an instance.
        unsafe UInt(safekvo_instance_size(unsafeBitCast(type(of: object) as AnyClass, to: UnsafeRawPointer.self)))
    }
}

/// The records of living objects whose registrar was replaced, or was moved elsewhere and destroyed.
///
/// All users of a record rely on the observed object to keep the record, for example a delivery whose handler replaces the registrar. So
/// such a record stays in memory until the object is deallocated, or somewhat longer.
final class ReplacedRegistrars: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the variables. Records are released without the lock, because a release may run code of
    // the program.

    static let shared = ReplacedRegistrars()

    private let lock = Lock()
    private var records: [ObservationRecord] = []

    /// Keeps a record, and releases those of the objects that are deallocated.
    func keep(_ record: ObservationRecord) {
        let former = lock.withLock {
            defer { records = records.filter { !$0.isSubjectDying } + [record] }
            return records
        }
        withExtendedLifetime(former) {}
    }
}

extension ObservationRecord {
    /// Ends all observations of the object, because its registrar is being destroyed.
    func registrarDidDie() {
        if isSubjectDying { return subjectDidDie() }
        let position = infos.first { !$0.isDependency }?.position
        ReplacedRegistrars.shared.keep(self)
        subjectDidDie()
        if let position {
            ObservationDiagnostics.warnOnce(
                .replacedRegistrar, at: position,
                """
                The observation of a `\(subjectType)` at \(position) has ended, because `\(subjectType).\(role.property)` was replaced or moved. \
                Declare it as a constant: `\(role.declaration)`.
                """)
        }
    }
}
