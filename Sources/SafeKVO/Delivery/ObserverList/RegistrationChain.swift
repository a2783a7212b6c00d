internal import Synchronization

/// The registrations for one key, as a doubly linked list in order of registration.
///
/// The chain owns a reference to each registration. Adding and removing require the lock of the object's ``ObservationRecord``. A
/// ``PinnedChain`` walks it, while a *pin* of that record keeps removed registrations in memory.
struct RegistrationChain: ~Copyable {
    private let head = Atomic<UInt>(0)
    private let tail = Atomic<UInt>(0)

    var isEmpty: Bool { head.load(ordering: .acquiring) == 0 }

    func append(_ info: ObservationInfo) {
        insert(info, after: Unretained(word: tail.load(ordering: .relaxed)))
    }

    func insert(_ info: ObservationInfo, after place: Unretained<ObservationInfo>?) {
        let entry = Unretained(info)
        unsafe entry.retain()
        let following = place?.inChain { $0.next.load(ordering: .relaxed) } ?? head.load(ordering: .relaxed)
        info.previous = place
        info.next.store(following, ordering: .relaxed)
        if let after = Unretained<ObservationInfo>(word: following) {
            after.inChain { $0.previous = entry }
        } else {
            tail.store(entry.word, ordering: .relaxed)
        }
        // Store this link last: a thread that follows the link must find a complete registration.
        if let place = place {
            place.inChain { $0.next.store(entry.word, ordering: .releasing) }
        } else {
            head.store(entry.word, ordering: .releasing)
        }
    }

    /// Removes a registration from the chain, and returns it, because deliveries on other threads may still need it.
    ///
    /// The removed registration keeps its `next` link, which such a delivery may still follow.
    func remove(_ info: ObservationInfo) -> ObservationInfo {
        let following = info.next.load(ordering: .relaxed)
        if let before = info.previous {
            before.inChain { $0.next.store(following, ordering: .releasing) }
        } else {
            head.store(following, ordering: .releasing)
        }
        if let after = Unretained<ObservationInfo>(word: following) {
            after.inChain { $0.previous = info.previous }
        } else {
            tail.store(info.previous?.word ?? 0, ordering: .relaxed)
        }
        // SAFETY: `insert` has retained the registration, and the caller takes over the reference.
        return unsafe Unretained(info).takeRetained()
    }

    @inline(__always)
    fileprivate var first: Unretained<ObservationInfo>? { Unretained(word: head.load(ordering: .acquiring)) }

    @inline(__always)
    fileprivate func forEach(_ body: (ObservationInfo) -> Void) {
        var next = first
        while let entry = next {
            entry.inChain(body)
            SchedulePoint.pass(.chainStep)
            next = entry.following
        }
    }
}

/// The registrations of one list while the list's record is pinned, so that also those stay in memory that are removed meanwhile.
struct PinnedChain: ~Copyable {
    // SAFETY: (of the reference) only the list makes this value, and lends it to a closure while its record is pinned.
    private let list: Unretained<ObserverList>

    @inline(__always)
    fileprivate init(_ list: ObserverList) { self.list = Unretained(list) }

    @inline(__always)
    borrowing func forEach(_ body: (ObservationInfo) -> Void) { unsafe list.with { $0.chain.forEach(body) } }
}

extension ObserverList {
    /// Calls a closure with the registrations of this list, whose record is pinned meanwhile.
    func pinned(_ body: (borrowing PinnedChain) -> Void) { record.pinned { pinned(by: $0, body) } }

    /// Calls a closure with the registrations of this list, whose record the caller's delivery has pinned.
    @inline(__always)
    func pinned(by pin: borrowing EpochPins.Pin, _ body: (borrowing PinnedChain) -> Void) { body(PinnedChain(self)) }

    /// Calls a closure with the registrations of several lists of one record, in the order of delivery.
    static func forEach(in lists: [ObserverList?], pinnedBy pin: borrowing EpochPins.Pin, _ body: (ObservationInfo) -> Void) {
        var nexts = lists.map { $0?.chain.first }
        while true {
            var first: Int?
            for index in nexts.indices {
                guard let info = nexts[index] else { continue }
                if let other = first.flatMap({ nexts[$0] }), !info.isBefore(other) { continue }
                first = index
            }
            guard let first, let info = nexts[first] else { return }
            info.inChain(body)
            nexts[first] = info.following
        }
    }
}

extension Unretained<ObservationInfo> {
    /// Calls a closure with a registration whose address was read from a chain, without retaining the registration.
    @inline(__always)
    fileprivate func inChain<Result>(_ body: (ObservationInfo) -> Result) -> Result {
        // SAFETY: a chain retains its registrations, and is changed under the lock of the record. During a walk, the pin of the record keeps
        // those that are removed.
        unsafe with(body)
    }

    /// The next registration in the chain.
    @inline(__always)
    fileprivate var following: Self? { inChain { Unretained(word: $0.next.load(ordering: .acquiring)) } }

    fileprivate func isBefore(_ other: Self) -> Bool { inChain { info in other.inChain { info.isBefore($0) } } }
}

/// Counts the deliveries in progress, so that removed registrations stay in memory while a delivery can reach them.
///
/// To *pin* is to count a delivery. If deliveries retained registrations under a lock instead, an assignment that notifies one observer
/// would take 176 ns, not 100 ns.
///
/// If deliveries always overlap, a single count never reaches zero. So there are two counts, called *epochs*, and a new delivery uses
/// the current one. When the other count has reached zero, the two epochs change roles.
package struct EpochPins: ~Copyable {
    /// Two counts of the deliveries in progress, of 31 bits each, and two flags.
    ///
    /// No count can overflow, because each delivery in progress takes a part of a thread's stack. The flag `epoch` selects the count that a
    /// new delivery uses. The flag `waits` is set while removed registrations wait for their release.
    let word = Atomic<UInt64>(0)
    #if SAFEKVO_NARROW_COUNTERS
        private static let countBits: UInt64 = 10
    #else
        private static let countBits: UInt64 = 31
    #endif
    static let units: (UInt64, UInt64) = (1, 1 << countBits)
    static let countMask: UInt64 = (1 << countBits) - 1
    static let epoch: UInt64 = 1 << (2 * countBits)
    static let waits: UInt64 = 1 << (2 * countBits + 1)

    package struct Pin: ~Copyable {
        /// `true` if the delivery is counted in the second epoch; one byte, so that a ``Delivery`` fits into four registers.
        let isOfSecond: Bool

        var unit: UInt64 { isOfSecond ? units.1 : units.0 }
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
    /// A plain load could come before the removal and miss a delivery. So the value is read by adding zero.
    var present: UInt64 { word.wrappingAdd(0, ordering: .acquiringAndReleasing).newValue }

    /// Begins a delivery: a registration that is removed before `unpin(_:)` stays in memory at least until `unpin(_:)`.
    @inline(__always)
    func pin() -> Pin {
        defer { SchedulePoint.pass(.afterPin) }
        var current = word.load(ordering: .relaxed)
        while true {
            let unit = Self.unit(of: current)
            let (exchanged, original) = word.weakCompareExchange(
                expected: current, desired: current &+ unit, ordering: .acquiring)
            if exchanged { return Pin(isOfSecond: unit != Self.units.0) }
            current = original
        }
    }

    /// Ends a delivery that `pin()` has begun; calls a closure if removed registrations may be collected.
    @inline(__always)
    func unpin(_ pin: consuming Pin, collect: () -> Void) {
        SchedulePoint.pass(.beforeUnpin)
        let unit = pin.unit
        let after = word.wrappingSubtract(unit, ordering: .acquiringAndReleasing).newValue
        if after & Self.waits != 0, Self.isDrained(after, unit) { collect() }
    }
}

/// Removed registrations and other objects that a delivery in progress may still reach.
///
/// The lock of the observed object's ``ObservationRecord`` guards this value.
struct EpochLimbo {
    /// The objects that were removed while the present epoch was the current one.
    private var newer: [AnyObject] = []
    /// The objects that were removed in the epoch before; a delivery of that epoch may still reach them.
    private var older: [AnyObject] = []

    /// Stores a removed object, with the caller's reference, until no delivery can reach the object any more.
    ///
    /// Returns references to all removed objects that no delivery can reach now. The caller must release them after unlocking.
    mutating func retire(_ info: consuming AnyObject, _ pins: borrowing EpochPins) -> Reclaimed {
        newer.append(info)
        // The flag `waits` makes deliveries call `collect(_:)` at their end, which releases removed objects. A delivery may have ended just
        // before the flag was set. So collect here, too.
        pins.word.bitwiseOr(EpochPins.waits, ordering: .acquiringAndReleasing)
        return collect(pins)
    }

    mutating func collect(_ pins: borrowing EpochPins) -> Reclaimed {
        var free: [AnyObject] = []
        for _ in 0..<2 {
            let current = pins.word.load(ordering: .acquiring)
            guard EpochPins.isDrained(current, EpochPins.unit(of: current ^ EpochPins.epoch)) else { break }
            free += older
            (older, newer) = (newer, [])
            if older.isEmpty { break }
            pins.word.bitwiseXor(EpochPins.epoch, ordering: .acquiringAndReleasing)
        }
        if newer.isEmpty, older.isEmpty { pins.word.bitwiseAnd(~EpochPins.waits, ordering: .acquiringAndReleasing) }
        return .several(free)
    }
}

/// Removed objects, such as registrations, which no delivery in progress can still use.
///
/// The caller must release them after unlocking, because a `deinit` may run code of the program.
enum Reclaimed {
    case one(AnyObject)
    case several([AnyObject])
}
