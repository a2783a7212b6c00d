/// The set of a controller's observations: a linked list in which the observations of one object are neighbours.
///
/// A hash table, `slots`, leads from an observer list and a tag to their observation. Entries of a second kind, with the lowest bit set,
/// lead from an observed object to its last observation. The table is empty until the set contains two observations.
///
/// The set retains its observations, and the holds of those that have ended where their holds must not be let go of. The controller's lock
/// guards it.
struct ObservationSet: ~Copyable {
    // SAFETY: the set retains each observation from `insert` until its removal, which passes the reference to the caller. The set stores
    // the addresses of observations. In the hash table, the lowest bit of an address is a mark, which is cleared before use.

    typealias Entry = Unretained<ObservationInfo>

    private var first: Entry?
    private var last: Entry?
    private var slots: [UInt] = []
    private var used: UInt32 = 0
    private(set) var count: UInt32 = 0
    private var holds = WaitingHolds()

    private static let subjectMark: UInt = 1

    // MARK: Looking up

    func info(list: Unretained<ObserverList>, tag: ObservationTag?) -> ObservationInfo? {
        entry(list: list, tag: tag).map { Self.with($0) { $0 } }
    }

    private func entry(list: Unretained<ObserverList>, tag: ObservationTag?) -> Entry? {
        if slots.isEmpty { return first.flatMap { first in Self.with(first) { $0.list == list && $0.tag == tag } ? first : nil } }
        let slot = slot(Self.hash(list, tag)) { word, entry in
            word & Self.subjectMark == 0 && Self.with(entry) { $0.list == list && $0.tag == tag }
        }
        return slot.flatMap { Self.entry(slots[$0]) }
    }

    private func subjectSlot(of record: UInt) -> Int? {
        slot(Self.hash(record)) { word, entry in word & Self.subjectMark != 0 && Self.record(of: entry) == record }
    }

    func infos(record: ObservationRecord) -> [ObservationInfo] {
        let record = Unretained(record).word
        var last = first
        if !slots.isEmpty { last = subjectSlot(of: record).flatMap { Self.entry(slots[$0]) } }
        var all: [ObservationInfo] = []
        while let entry = last, Self.record(of: entry) == record {
            last = Self.with(entry) { info in
                all.append(info)
                return info.previousOfOwner
            }
        }
        return all.reversed()
    }

    func infos() -> [ObservationInfo] {
        var all: [ObservationInfo] = []
        all.reserveCapacity(Int(count))
        forEach { all.append($0) }
        return all
    }

    func forEach(_ body: (ObservationInfo) -> Void) {
        var next = first
        while let entry = next {
            next = Self.with(entry) { info in
                body(info)
                return info.nextOfOwner
            }
        }
    }

    // MARK: Holds

    /// The number of ended observations whose holds wait for a call of the controller.
    var holdCount: Int { holds.count }

    /// Puts the hold of an observation in its place; returns the observation, or `nil` if it is not in the set or has no hold any more.
    ///
    /// Keep the result until the lock is released, because a deallocation may run code of the program.
    mutating func replaceByHold(_ info: ObservationInfo) -> ObservationInfo? {
        guard contains(info), let hold = info.takeHold() else { return nil }
        holds.add(hold)
        return remove(info)
    }

    mutating func takeHolds() -> WaitingHolds { holds.take() }

    // MARK: Changing

    /// Adds an observation; the set must not contain one with the same list and tag.
    mutating func insert(_ info: ObservationInfo) {
        let entry = Unretained(info)
        unsafe entry.retain()
        count += 1
        if slots.isEmpty {
            guard let only = first else {
                (first, last) = (entry, entry)
                return
            }
            Self.with(only) { file($0, only) }
        }
        file(info, entry)
    }

    private mutating func file(_ info: ObservationInfo, _ entry: Entry) {
        if (Int(used) + 2) * 4 > slots.count * 3 { grow() }
        place(entry.word, Self.hash(info.list, info.tag))
        let record = Self.record(of: entry)
        if let slot = subjectSlot(of: record), let latest = Self.entry(slots[slot]) {
            link(info, entry, after: latest)
            slots[slot] = entry.word | Self.subjectMark
        } else {
            if let last {
                if last != entry { link(info, entry, after: last) }
            } else {
                (first, last) = (entry, entry)
            }
            place(entry.word | Self.subjectMark, Self.hash(record))
        }
    }

    private mutating func link(_ info: ObservationInfo, _ entry: Entry, after place: Entry) {
        let following = Self.with(place) { $0.nextOfOwner }
        info.previousOfOwner = place
        info.nextOfOwner = following
        Self.with(place) { $0.nextOfOwner = entry }
        if let following { Self.with(following) { $0.previousOfOwner = entry } } else { last = entry }
    }

    /// Removes the observation with a given observer list and tag.
    ///
    /// Keep the result until the lock is released, because a deallocation may run code of the program.
    mutating func remove(list: Unretained<ObserverList>, tag: ObservationTag?) -> ObservationInfo? {
        entry(list: list, tag: tag).flatMap { Self.with($0) { remove($0) } }
    }

    private func contains(_ info: ObservationInfo) -> Bool {
        slots.isEmpty ? first == Entry(info) : slot(of: Entry(info).word, Self.hash(info.list, info.tag)) != nil
    }

    /// Removes an observation from the set, and returns it; returns `nil` if the set does not contain it.
    ///
    /// Keep the result until the lock is released, because a deallocation may run code of the program.
    mutating func remove(_ info: ObservationInfo) -> ObservationInfo? {
        let entry = Unretained(info)
        if slots.isEmpty {
            if first != entry { return nil }
            var chain = takeChain()
            return chain.next()
        }
        guard let slot = slot(of: entry.word, Self.hash(info.list, info.tag)) else { return nil }
        clear(slot)
        let record = Self.record(of: entry)
        if let slot = self.slot(of: entry.word | Self.subjectMark, Self.hash(record)) {
            if let previous = info.previousOfOwner, Self.record(of: previous) == record {
                slots[slot] = previous.word | Self.subjectMark
            } else {
                clear(slot)
            }
        }
        if let previous = info.previousOfOwner {
            Self.with(previous) { $0.nextOfOwner = info.nextOfOwner }
        } else {
            first = info.nextOfOwner
        }
        if let next = info.nextOfOwner {
            Self.with(next) { $0.previousOfOwner = info.previousOfOwner }
        } else {
            last = info.previousOfOwner
        }
        info.nextOfOwner = nil
        info.previousOfOwner = nil
        count -= 1
        return unsafe entry.takeRetained()
    }

    /// The observations that were taken out of a set, as a linked list in the order of the set; its end releases those that nobody took.
    struct Removed: ~Copyable {
        fileprivate var first: Entry?

        deinit {
            var rest = first
            while let info = unsafe rest?.takeRetained() { rest = info.nextOfOwner }
        }

        mutating func next() -> ObservationInfo? {
            let info = unsafe first?.takeRetained()
            first = info?.nextOfOwner
            return info
        }
    }

    private mutating func takeChain() -> Removed {
        defer { (first, last, count) = (nil, nil, 0) }
        return Removed(first: first)
    }

    /// Empties the set, and returns its observations.
    mutating func removeAll() -> Removed {
        if !slots.isEmpty {
            slots = []
            used = 0
        }
        return takeChain()
    }

    // MARK: The table

    private var mask: Int { slots.count - 1 }

    private mutating func place(_ word: UInt, _ hash: Int) {
        var index = hash & mask
        while slots[index] != 0 { index = (index + 1) & mask }
        slots[index] = word
        used += 1
    }

    private func slot(of word: UInt, _ hash: Int) -> Int? { slot(hash) { other, _ in other == word } }

    @inline(__always)
    private func slot(_ hash: Int, where matches: (_ word: UInt, Entry) -> Bool) -> Int? {
        var index = hash & mask
        while let entry = Self.entry(slots[index]) {
            if matches(slots[index], entry) { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Empties a slot of the hash table.
    ///
    /// A search ends at the first empty slot. So later entries move forward if the empty slot would hide them from a search.
    private mutating func clear(_ slot: Int) {
        var hole = slot
        var index = (hole + 1) & mask
        while slots[index] != 0 {
            let home = hash(of: slots[index]) & mask
            // A search for this entry starts at the slot `home` and goes forward, wrapping around at the end. If the slot `hole` lies on
            // the way from `home` to `index`, the search would end there. So move the entry into the hole.
            if (index - home) & mask >= (index - hole) & mask {
                slots[hole] = slots[index]
                hole = index
            }
            index = (index + 1) & mask
        }
        slots[hole] = 0
        used -= 1
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt](repeating: 0, count: Swift.max(4, old.count * 2))
        used = 0
        for word in old where word != 0 { place(word, hash(of: word)) }
    }

    private func hash(of word: UInt) -> Int {
        guard let entry = Self.entry(word) else { return 0 }
        if word & Self.subjectMark != 0 { return Self.hash(Self.record(of: entry)) }
        return Self.with(entry) { Self.hash($0.list, $0.tag) }
    }

    private static func hash(_ list: Unretained<ObserverList>, _ tag: ObservationTag?) -> Int {
        hash(list.word) ^ (tag?.name.hashValue ?? 0)
    }

    /// Mixes the bits, because the low bits of addresses are zero and the high bits mostly equal.
    private static func hash(_ address: UInt) -> Int {
        let product = address &* UInt(truncatingIfNeeded: 0x9E37_79B9_7F4A_7C15 as UInt64)
        return Int(bitPattern: product ^ (product >> (UInt.bitWidth / 2)))
    }

    @inline(__always)
    private static func with<Result>(_ entry: Entry, _ body: (ObservationInfo) -> Result) -> Result {
        // SAFETY: `entry` is in the set, which retains it.
        unsafe entry.with(body)
    }

    private static func entry(_ word: UInt) -> Entry? {
        Entry(word: word & ~subjectMark)
    }

    private static func record(of entry: Entry) -> UInt {
        with(entry) { info in info.withList { $0.recordWord } }
    }
}
