internal import CSafeKVO
public import Synchronization

/// One word in a subject: null until somebody observes it, then its record.
///
/// When the subject's stored properties are destroyed, so is the registrar, and with it everything that observed the subject ends. That is
/// before the subject's memory can be used again, so no observation ever outlives the object that it is about.
@usableFromInline
package struct ObserverRegistrar: ~Copyable, Sendable {
    // SAFETY: (of the conversions below) the word is null or the address of a record that it owns a reference to; it is set once.

    @usableFromInline let word = Atomic<UInt>(0)

    @inlinable
    package init() {}

    deinit {
        if let record = Unretained<ObservationRecord>(word: word.load(ordering: .acquiring)) {
            unsafe record.with { $0.subjectDidDie() }
            unsafe record.release()
        }
    }

    /// Whether nobody has ever observed the subject.
    ///
    /// One relaxed load.
    @inlinable
    var isIdle: Bool {
        @inline(__always) get { word.load(ordering: .relaxed) == 0 }
    }

    /// What identifies the record; zero if there is none.
    @inlinable
    var recordWord: UInt { word.load(ordering: .acquiring) }

    /// The record, if there is one.
    package var record: Unretained<ObservationRecord>? { Unretained(word: word.load(ordering: .acquiring)) }

    /// The record, if there is one.
    ///
    /// The program ends with a message if the registrar belongs to another object.
    @inline(__always)
    func record(ownedBy subject: AnyObject, _ role: Role) -> Unretained<ObservationRecord>? {
        guard let record else { return nil }
        if unsafe !record.with({ $0.isRecord(of: Unretained(subject)) }) { role.refuse(type(of: subject)) }
        return record
    }

    /// The record, made if there is none.
    ///
    /// The program ends with a message if the registrar is not stored in the subject itself: an object that hands out another object's
    /// registrar could outlive it, and its properties could be taken for those of the other object.
    ///
    /// - Parameters:
    ///   - subject: Whose registrar this is.
    ///   - object: What the subject stands for, if it is no more than that.
    ///   - role: By which property the program knows the registrar.
    /// - Returns: the record.
    package func record(of subject: AnyObject, standingFor object: AnyObject? = nil, _ role: Role = .internal) -> ObservationRecord {
        if let record = record(ownedBy: subject, role) { return unsafe record.object }
        if !StoredPlace(of: word).isInside(subject) { role.refuse(type(of: subject)) }
        let made = ObservationRecord(subject: subject, standingFor: object)
        let reference = Unretained(made)
        unsafe reference.retain()
        let (exchanged, original) = word.compareExchange(
            expected: 0, desired: reference.word, ordering: .acquiringAndReleasing)
        if exchanged { return made }
        // Another thread was first.
        unsafe reference.release()
        return unsafe Unretained(word: original)?.object ?? record(of: subject, standingFor: object, role)
    }

    /// By which property the program knows a registrar.
    @usableFromInline
    package enum Role {
        case keyValue
        case source
        case `internal`

        /// Ends the program with a message that names the property.
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

/// The place in memory of a word that an object is expected to store itself.
struct StoredPlace {
    private let address: UInt

    init(of word: borrowing Atomic<UInt>) {
        // SAFETY: the address is compared and never followed. An atomic value cannot be copied, so this is where it is stored.
        address = unsafe withUnsafePointer(to: word) { UInt(bitPattern: $0) }
    }

    /// `true` if the word is one of the object's own stored properties, or part of one.
    func isInside(_ object: AnyObject) -> Bool {
        let start = Unretained(object).word
        // SAFETY: a class is the address of its metadata; the runtime reads the size there.
        let size = unsafe safekvo_instance_size(unsafeBitCast(type(of: object) as AnyClass, to: UnsafeRawPointer.self))
        return address > start && address - start < UInt(size)
    }
}

/// Never made: the place where a comparison of key paths begins.
struct RootHolder<Root> {
    let root: Root
}
