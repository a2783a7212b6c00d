internal import Synchronization

/// Counts the deliveries in progress, so that a removed registration stays in memory while a delivery can still reach
/// it.
///
/// Deliveries do not retain the registrations of an object while they walk them. Instead, the object's record of
/// observations counts each delivery from beginning to end: the delivery *pins* the record.
///
/// If deliveries always overlap, a single count never reaches zero. So there are two counts, called epochs. A new
/// delivery is counted in the current epoch. When the other epoch's count has reached zero, the epochs change roles.
///
/// An assignment that notifies one observer takes 100 ns with pins, and 176 ns with ``PlainChain``, which retains
/// registrations.
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

    /// The value of `word`.
    ///
    /// It includes each delivery that can still reach a registration that this thread has removed.
    ///
    /// A plain load could happen before the removal, so this is a read-modify-write operation, which adds zero.
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

    /// Takes over a list's reference to a registration that was removed from the list, and keeps it while a delivery
    /// can reach the registration.
    ///
    /// - Returns: The references that the caller must release after it has released the lock.
    mutating func retire(_ info: Unretained<AnyObject>, _ pins: borrowing EpochPins) -> Reclaimed {
        let current = pins.present
        if EpochPins.isIdle(current) { return .one(info) }
        if current & EpochPins.epoch == 0 { infos.0.append(info) } else { infos.1.append(info) }
        // The last delivery may have ended before this flag was set. It then had no reason to collect, so this function
        // calls `collect(_:)`.
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
