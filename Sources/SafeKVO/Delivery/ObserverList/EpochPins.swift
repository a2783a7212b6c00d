internal import Synchronization

/// Counts the deliveries under way, so that unlinked infos stay readable until none that might still see them is left.
///
/// Deliveries walk a list without retaining what they pass; they pin the record instead, one atomic step in and one out. One count of
/// pins would starve while deliveries overlap without end, so there are two epochs, each with its count: new pins go to the current
/// one, and when the other has drained they change places.
///
/// Gain over the plain list, which copies and retains its infos for each delivery and is kept as oracle: a set with one observer 100 instead
/// of 176 ns, each of 100 observers 52 instead of 84 ns, adding and removing among 100 000 others 0.8 instead of 32 µs (benchmark package,
/// both lists on one machine in one hour).
struct EpochPins: ~Copyable {
    /// Thirty-one bits a count, then the current epoch, then whether anything waits.
    let word = Atomic<UInt64>(0)
    static let units: (UInt64, UInt64) = (1, 1 << 31)
    static let countMask: UInt64 = (1 << 31) - 1
    static let epoch: UInt64 = 1 << 62
    static let waits: UInt64 = 1 << 63

    /// A delivery's pin, to be handed back.
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

    /// The word as it is after everything that this thread has taken out of sight.
    ///
    /// A read-modify-write, not a load: a pin taken after it sees that, and one taken before it is seen here.
    var present: UInt64 { word.wrappingAdd(0, ordering: .acquiringAndReleasing).newValue }

    /// Whether no delivery is under way that might still see what this thread has taken out of sight.
    var areNone: Bool { Self.isIdle(present) }

    /// Keeps every info that is linked now readable until `unpin(_:)`.
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

    /// Ends a pin.
    ///
    /// - Returns: whether something may be collected now: then the limbo must be asked, under the lock.
    @inline(__always)
    func unpin(_ pin: Pin) -> Bool {
        let after = word.wrappingSubtract(pin.unit, ordering: .acquiringAndReleasing).newValue
        return after & Self.waits != 0 && Self.isDrained(after, pin.unit)
    }
}

/// Unlinked infos, and whatever else a delivery might still see.
///
/// Guarded by the record's lock.
struct EpochLimbo {
    /// By the epoch in which they were unlinked.
    private var infos: ([Unretained<AnyObject>], [Unretained<AnyObject>]) = ([], [])

    /// Takes charge of the list's reference to an info that has just been unlinked.
    ///
    /// - Returns: what may be released now, after the lock.
    mutating func retire(_ info: Unretained<AnyObject>, _ pins: borrowing EpochPins) -> Reclaimed {
        let current = pins.present
        if EpochPins.isIdle(current) { return .one(info) }
        if current & EpochPins.epoch == 0 { infos.0.append(info) } else { infos.1.append(info) }
        // The delivery may have ended meanwhile without seeing anything wait.
        pins.word.bitwiseOr(EpochPins.waits, ordering: .acquiringAndReleasing)
        return collect(pins)
    }

    /// Takes out what no delivery can see any more.
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

/// References to unlinked infos, to be released once the lock is left.
enum Reclaimed {
    case one(Unretained<AnyObject>)
    case several([Unretained<AnyObject>])

    func release() {
        // SAFETY: these are the references that the chain owned.
        switch self {
        case .one(let info): unsafe info.release()
        case .several(let infos): for info in infos { unsafe info.release() }
        }
    }
}
