internal import CSafeKVO
public import Synchronization

/// A value that an observed object stores, and that refers to the *record* of all observations of the object.
///
/// The record is made when the object is first observed. The deallocation of the object destroys the registrar, which
/// ends all observations of the object.
@usableFromInline
package struct ObserverRegistrar: ~Copyable, Sendable {
    // SAFETY: (of each conversion of `word` in this type) the word is zero, or the address of a record to which the
    // registrar owns a reference. It is set only once.

    @usableFromInline let word = Atomic<UInt>(0)

    @inlinable
    package init() {}

    deinit {
        if let record = Unretained<ObservationRecord>(word: word.load(ordering: .acquiring)) {
            unsafe record.with { $0.subjectDidDie() }
            unsafe record.release()
        }
    }

    @inlinable
    var isIdle: Bool {
        @inline(__always) get { word.load(ordering: .relaxed) == 0 }
    }

    @inlinable
    var recordWord: UInt { word.load(ordering: .acquiring) }

    /// The record of all observations of the object, or `nil` if the object has never been observed.
    package var record: Unretained<ObservationRecord>? { Unretained(word: word.load(ordering: .acquiring)) }

    /// Returns the record of all observations of `subject`, or `nil` if `subject` was never observed.
    ///
    /// Stops the program if this registrar belongs to another object than `subject`.
    @inline(__always)
    func record(ownedBy subject: AnyObject, _ role: Role) -> Unretained<ObservationRecord>? {
        guard let record else { return nil }
        if unsafe !record.with({ $0.isRecord(of: Unretained(subject)) }) { role.refuse(type(of: subject)) }
        return record
    }

    /// Returns the record of all observations of the object, and makes the record if there is none.
    ///
    /// Stops the program if `subject` does not store this registrar, which might then be destroyed too early.
    ///
    /// - Parameter object: The observed object if `subject` represents another object; otherwise `nil`.
    package func record(of subject: AnyObject, standingFor object: AnyObject? = nil, _ role: Role = .internal) -> ObservationRecord {
        if let record = record(ownedBy: subject, role) { return unsafe record.object }
        if !StoredPlace(of: word).isInside(subject) { role.refuse(type(of: subject)) }
        let made = ObservationRecord(subject: subject, standingFor: object)
        let reference = Unretained(made)
        unsafe reference.retain()
        let (exchanged, original) = word.compareExchange(
            expected: 0, desired: reference.word, ordering: .acquiringAndReleasing)
        if exchanged { return made }
        unsafe reference.release()
        return unsafe Unretained(word: original)?.object ?? record(of: subject, standingFor: object, role)
    }

    @usableFromInline
    package enum Role {
        case keyValue
        case source
        case `internal`

        func refuse(_ type: AnyClass) -> Never {
            let (property, value) =
                switch self {
                case .keyValue: ("keyValueRegistrar", "KeyValueRegistrar()")
                case .source: ("eventRegistrar", "EventRegistrar<Event>()")
                case .internal: ("registrar", "ObserverRegistrar()")
                }
            Mistake.stop(
                """
                `\(type).\(property)` is not stored in the object itself. Declare it as a stored property: \
                `let \(property) = \(value)`. A computed property, or the registrar of another object, cannot be used.
                """)
        }
    }
}

/// The address at which a word is stored, to check that the word lies inside an object.
struct StoredPlace {
    private let address: UInt

    init(of word: borrowing Atomic<UInt>) {
        // SAFETY: the address is only compared, not dereferenced. An atomic value cannot be copied, so the
        // address is that of its storage.
        address = unsafe withUnsafePointer(to: word) { UInt(bitPattern: $0) }
    }

    func isInside(_ object: AnyObject) -> Bool {
        let start = Unretained(object).word
        // SAFETY: a class reference is the address of the class's metadata, from which the runtime reads the size of
        // an instance.
        let size = unsafe safekvo_instance_size(unsafeBitCast(type(of: object) as AnyClass, to: UnsafeRawPointer.self))
        return address > start && address - start < UInt(size)
    }
}

/// Gives two key paths the same root type, so that they can be compared: `\.root` is put before each of them.
struct RootHolder<Root> {
    let root: Root
}
