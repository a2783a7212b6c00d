internal import Synchronization

/// A count of the deliveries in progress, which keeps removed infos in memory until no delivery can reach them.
///
/// An *info* is one registration. Deliveries walk a list of infos without retaining them. Instead, each delivery pins the record of the
/// observed object, with one atomic operation at its beginning and one at its end.
///
/// If deliveries overlap without a gap, a single count never reaches zero. So there are two epochs, each with its own count. New pins count
/// in the current epoch. When the count of the other epoch has reached zero, the two epochs change roles.
///
/// The alternative, ``PlainChain``, copies and retains the infos for each delivery; tests compare with it. Measured on one machine, an
/// assignment that notifies one observer takes 100 ns instead of 176 ns. Each of 100 observers takes 52 ns instead of 84 ns. To add and
/// remove an observer among 100 000 others takes 0.8 µs instead of 32 µs.
struct EpochPins: ~Copyable {
    /// Two counts of 31 bits, then the bit `epoch`, then the bit `waits`.
    ///
    /// `epoch` says which epoch is current. `waits` is set while a removed info waits for its release.
    let word = Atomic<UInt64>(0)
    static let units: (UInt64, UInt64) = (1, 1 << 31)
    static let countMask: UInt64 = (1 << 31) - 1
    static let epoch: UInt64 = 1 << 62
    static let waits: UInt64 = 1 << 63

    /// A delivery's pin, which the delivery passes to `unpin(_:)` at its end.
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

    /// The present value of the word, read after everything that this thread has removed from the lists.
    ///
    /// This is a read-modify-write operation rather than a load. So a delivery that pins after it does not see the removed info, and a
    /// delivery that pinned before it is counted in the result.
    var present: UInt64 { word.wrappingAdd(0, ordering: .acquiringAndReleasing).newValue }

    /// `true` if no delivery in progress can reach what this thread has removed from the lists.
    var areNone: Bool { Self.isIdle(present) }

    /// Keeps every info that is linked at this moment in memory until `unpin(_:)`.
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
    /// - Returns: `true` if removed infos may be ready for release. Then the caller must call `collect(_:)` of the limbo, under the
    ///   record's lock.
    @inline(__always)
    func unpin(_ pin: Pin) -> Bool {
        let after = word.wrappingSubtract(pin.unit, ordering: .acquiringAndReleasing).newValue
        return after & Self.waits != 0 && Self.isDrained(after, pin.unit)
    }
}

/// The removed infos and other objects that a delivery in progress may still reach.
///
/// They are released when no delivery can reach them. The record's lock guards this value.
struct EpochLimbo {
    /// The objects that wait for release, by the epoch in which they were removed.
    private var infos: ([Unretained<AnyObject>], [Unretained<AnyObject>]) = ([], [])

    /// Takes over the list's reference to an info that has just been removed from the list.
    ///
    /// - Returns: The references that the caller must release after it has released the lock.
    mutating func retire(_ info: Unretained<AnyObject>, _ pins: borrowing EpochPins) -> Reclaimed {
        let current = pins.present
        if EpochPins.isIdle(current) { return .one(info) }
        if current & EpochPins.epoch == 0 { infos.0.append(info) } else { infos.1.append(info) }
        // The last delivery may have ended before this flag was set. Then it has not collected the waiting objects, so this call collects
        // them.
        pins.word.bitwiseOr(EpochPins.waits, ordering: .acquiringAndReleasing)
        return collect(pins)
    }

    /// Removes and returns the references to objects that no delivery can reach.
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

/// References to removed infos, which the caller releases after it has released the lock.
enum Reclaimed {
    case one(Unretained<AnyObject>)
    case several([Unretained<AnyObject>])

    func release() {
        // SAFETY: The chain owned these references and passed them on when it removed the infos.
        switch self {
        case .one(let info): unsafe info.release()
        case .several(let infos): for info in infos { unsafe info.release() }
        }
    }
}
