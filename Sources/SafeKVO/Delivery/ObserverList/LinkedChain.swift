internal import Synchronization

/// The registrations for one key, as a doubly linked list in order of registration.
///
/// The registrations' ``ObservationInfo`` objects (*infos*) store the links. The chain owns one reference to each of
/// them.
///
/// A caller that adds or removes infos must hold the lock of the object's record. A caller that walks the chain needs
/// no lock, but must have pinned the record, which keeps removed infos in memory.
struct LinkedChain: ~Copyable {
    private let head = Atomic<UInt>(0)
    private let tail = Atomic<UInt>(0)

    // SAFETY: (of the `unsafe` expressions in this type) each reference is the address of a registration that the
    // chain owns, or of a removed one that the pinned record keeps in memory.

    var isEmpty: Bool { head.load(ordering: .acquiring) == 0 }

    func append(_ info: ObservationInfo) {
        insert(info, after: Unretained(word: tail.load(ordering: .relaxed)))
    }

    func insert(_ info: ObservationInfo, after place: Unretained<ObservationInfo>?) {
        let entry = Unretained(info)
        unsafe entry.retain()
        let following =
            unsafe place?.with { $0.next.load(ordering: .relaxed) } ?? head.load(ordering: .relaxed)
        info.previous = place
        info.next.store(following, ordering: .relaxed)
        if let after = Unretained<ObservationInfo>(word: following) {
            unsafe after.with { $0.previous = entry }
        } else {
            tail.store(entry.word, ordering: .relaxed)
        }
        // Store this link last. A thread that follows it then also sees everything that was written to `info`.
        if let place = place {
            unsafe place.with { $0.next.store(entry.word, ordering: .releasing) }
        } else {
            head.store(entry.word, ordering: .releasing)
        }
    }

    /// Removes a registration from the chain.
    ///
    /// Its `next` link stays, because a delivery on another thread may be about to follow it.
    ///
    /// - Returns: The chain's reference to the registration. The caller must release it.
    func remove(_ info: ObservationInfo) -> Unretained<ObservationInfo> {
        let following = info.next.load(ordering: .relaxed)
        if let before = info.previous {
            unsafe before.with { $0.next.store(following, ordering: .releasing) }
        } else {
            head.store(following, ordering: .releasing)
        }
        if let after = Unretained<ObservationInfo>(word: following) {
            unsafe after.with { $0.previous = info.previous }
        } else {
            tail.store(info.previous?.word ?? 0, ordering: .relaxed)
        }
        return Unretained(info)
    }

    /// A position in the chain, for a caller that walks several chains at the same time.
    struct Cursor {
        private(set) var info: Unretained<ObservationInfo>?

        mutating func advance() {
            info = unsafe info?.with { Unretained(word: $0.next.load(ordering: .acquiring)) }
        }

        fileprivate init(_ word: UInt) { info = Unretained(word: word) }
    }

    func cursor() -> Cursor { Cursor(head.load(ordering: .acquiring)) }

    @inline(__always)
    func forEach(_ body: (ObservationInfo) -> Void) {
        var word = head.load(ordering: .acquiring)
        while let entry = Unretained<ObservationInfo>(word: word) {
            word = unsafe entry.with { info in
                body(info)
                return info.next.load(ordering: .acquiring)
            }
        }
    }
}

/// Counts the deliveries in progress, so that a removed registration stays in memory while a delivery can still reach
/// it.
///
/// Deliveries do not retain the registrations of an object while they walk them. Instead, the object's record of
/// observations counts each delivery from beginning to end: the delivery *pins* the record.
///
/// If deliveries always overlap, a single count never reaches zero. So there are two counts, called epochs. A new
/// delivery is counted in the current epoch. When the other epoch's count has reached zero, the epochs change roles.
///
/// An assignment that notifies one observer takes 100 ns with pins, and 176 ns if each delivery retains the registrations
/// under a lock.
struct EpochPins: ~Copyable {
    /// The counts of the two epochs, with 31 bits each, and two flags.
    ///
    /// The flag `epoch` says which epoch is current. The flag `waits` is set while a removed registration waits for its
    /// release.
    let word = Atomic<UInt64>(0)
    static let units: (UInt64, UInt64) = (1, 1 << 31)
    static let countMask: UInt64 = (1 << 31) - 1
    static let epoch: UInt64 = 1 << 62
    static let waits: UInt64 = 1 << 63

    struct Pin {
        let unit: UInt64
    }

    static func unit(of word: UInt64) -> UInt64 {
        word & epoch == 0 ? units.0 : units.1
    }

    static func isDrained(_ word: UInt64, _ unit: UInt64) -> Bool {
        word & (countMask &* unit) == 0
    }

    static func isIdle(_ word: UInt64) -> Bool { isDrained(word, units.0) && isDrained(word, units.1) }

    /// The value of `word`, read after this thread has removed a registration.
    ///
    /// A plain load could come before the removal and miss a delivery that can still reach the registration. So the
    /// value is read by adding zero.
    var present: UInt64 { word.wrappingAdd(0, ordering: .acquiringAndReleasing).newValue }

    var areNone: Bool { Self.isIdle(present) }

    /// Counts a delivery that begins.
    ///
    /// A registration that is removed after this call stays in memory until the delivery has called `unpin(_:)`.
    @inline(__always)
    func pin() -> Pin {
        var current = word.load(ordering: .relaxed)
        while true {
            let unit = Self.unit(of: current)
            let (exchanged, original) = word.weakCompareExchange(
                expected: current, desired: current &+ unit, ordering: .acquiring)
            if exchanged { return Pin(unit: unit) }
            current = original
        }
    }

    /// Counts a delivery as ended.
    ///
    /// - Returns: `true` if removed registrations may be ready for release. The caller must then lock the record, and
    ///   call `collect(_:)` of the `EpochLimbo`, which keeps them.
    @inline(__always)
    func unpin(_ pin: Pin) -> Bool {
        let after = word.wrappingSubtract(pin.unit, ordering: .acquiringAndReleasing).newValue
        return after & Self.waits != 0 && Self.isDrained(after, pin.unit)
    }
}

/// The removed registrations and other objects that are kept in memory because a delivery may still reach them.
///
/// The lock of the observed object's record guards this value.
struct EpochLimbo {
    private var infos: ([Unretained<AnyObject>], [Unretained<AnyObject>]) = ([], [])

    /// Takes over a list's reference to a removed registration, and keeps it while a delivery can reach the
    /// registration.
    ///
    /// - Returns: References that the caller must release after the unlock.
    mutating func retire(_ info: Unretained<AnyObject>, _ pins: borrowing EpochPins) -> Reclaimed {
        let current = pins.present
        if EpochPins.isIdle(current) { return .one(info) }
        if current & EpochPins.epoch == 0 { infos.0.append(info) } else { infos.1.append(info) }
        // A delivery that ended before the flag `waits` was set has left `collect(_:)` to this function.
        pins.word.bitwiseOr(EpochPins.waits, ordering: .acquiringAndReleasing)
        return collect(pins)
    }

    mutating func collect(_ pins: borrowing EpochPins) -> Reclaimed {
        var free: [Unretained<AnyObject>] = []
        for _ in 0..<2 {
            let current = pins.word.load(ordering: .acquiring)
            if current & EpochPins.epoch == 0 {
                guard EpochPins.isDrained(current, EpochPins.units.1) else { break }
                free += infos.1
                infos.1 = []
                if infos.0.isEmpty { break }
            } else {
                guard EpochPins.isDrained(current, EpochPins.units.0) else { break }
                free += infos.0
                infos.0 = []
                if infos.1.isEmpty { break }
            }
            pins.word.bitwiseXor(EpochPins.epoch, ordering: .acquiringAndReleasing)
        }
        if infos.0.isEmpty, infos.1.isEmpty { pins.word.bitwiseAnd(~EpochPins.waits, ordering: .acquiringAndReleasing) }
        return .several(free)
    }
}

/// References that the caller must release after it has released the record's lock.
enum Reclaimed {
    case one(Unretained<AnyObject>)
    case several([Unretained<AnyObject>])

    func release() {
        // SAFETY: a list or the `EpochLimbo` owned each of these references, and gave it to this value. Nobody else
        // releases it.
        switch self {
        case .one(let info): unsafe info.release()
        case .several(let infos): for info in infos { unsafe info.release() }
        }
    }
}
