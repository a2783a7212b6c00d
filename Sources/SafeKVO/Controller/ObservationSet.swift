/// A controller's observations: found by what they observe, listed by whom they observe, in a few steps however many there are.
///
/// A pure table without locks or calls. One array with linear probing holds two sorts of entries: every info under its list and tag, and,
/// marked in the lowest bit, one info for each subject under the subject's record; the infos of one subject form a ring. An info is one
/// observation exactly if list and tag are its own, because lists are made one for each key of a subject.
///
/// The set owns one reference to each info in it.
struct ObservationSet {
    // SAFETY: (of the conversions below) every word but zero is the address of an info that the set owns a reference to, with the mark
    // of a ring in its lowest bit; infos are aligned to more than two bytes.

    typealias Entry = Unretained<ObservationInfo>

    /// The info while there is only one: most controllers of many observers of one subject have no more, and need no table.
    private var only: Entry?
    private var slots: [UInt] = []
    private var used = 0
    private(set) var count = 0

    private static let ringMark: UInt = 1

    // MARK: Looking up

    /// The observation of a list under a tag.
    func entry(list: Unretained<ObserverList>, tag: ObservationTag?) -> Entry? {
        if let only { return only.with { $0.list == list && $0.tag == tag } ? only : nil }
        guard count > 0 else { return nil }
        var index = Self.hash(list, tag) & mask
        while slots[index] != 0 {
            let word = slots[index]
            if word & Self.ringMark == 0, let entry = Self.entry(word) {
                let matches = entry.with {
                    $0.list == list && $0.tag == tag
                }
                if matches { return entry }
            }
            index = (index + 1) & mask
        }
        return nil
    }

    /// One of the observations of a subject; the ring leads to the others.
    private func ringSlot(of record: UInt) -> Int? {
        guard count > 0 else { return nil }
        var index = Self.hash(record) & mask
        while slots[index] != 0 {
            let word = slots[index]
            if word & Self.ringMark != 0, let entry = Self.entry(word), Self.record(of: entry) == record {
                return index
            }
            index = (index + 1) & mask
        }
        return nil
    }

    /// The observations of a subject, oldest first.
    func entries(record: ObservationRecord) -> [Entry] {
        if let only { return Self.record(of: only) == Self.address(of: record) ? [only] : [] }
        guard let slot = ringSlot(of: Self.address(of: record)), let first = Self.entry(slots[slot]) else {
            return []
        }
        var all = [first]
        var next = first.object.ringNext
        while let entry = next, entry != first {
            all.append(entry)
            next = entry.object.ringNext
        }
        return all
    }

    /// All observations, in no order.
    func entries() -> [Entry] {
        if let only { return [only] }
        return slots.compactMap { $0 & Self.ringMark == 0 ? Self.entry($0) : nil }
    }

    // MARK: Changing

    /// Puts an info in.
    ///
    /// Its list and tag must not be there.
    mutating func insert(_ info: ObservationInfo) {
        let entry = Unretained(info)
        entry.retain()
        count += 1
        if count == 1, slots.isEmpty {
            only = entry
            return
        }
        if let first = only {
            only = nil
            first.with { file($0, first) }
        }
        file(info, entry)
    }

    /// Puts an info into the table.
    private mutating func file(_ info: ObservationInfo, _ entry: Entry) {
        if (used + 2) * 4 > slots.count * 3 { grow() }
        place(Self.word(entry), Self.hash(info.list, info.tag))
        let record = Self.record(of: entry)
        if let slot = ringSlot(of: record), let first = Self.entry(slots[slot]) {
            let last = first.object.ringPrevious ?? first
            info.ringNext = first
            info.ringPrevious = last
            last.object.ringNext = entry
            first.object.ringPrevious = entry
        } else {
            info.ringNext = entry
            info.ringPrevious = entry
            place(Self.word(entry) | Self.ringMark, Self.hash(record))
        }
    }

    /// Takes an info out, if it is in, and hands the set's reference to the caller.
    mutating func remove(_ info: ObservationInfo) -> Entry? {
        let entry = Unretained(info)
        if let present = only {
            guard present == entry else { return nil }
            only = nil
            count = 0
            return entry
        }
        guard let slot = slot(of: Self.word(entry), Self.hash(info.list, info.tag)) else { return nil }
        clear(slot)
        let record = Self.record(of: entry)
        if let next = info.ringNext, let previous = info.ringPrevious, next != entry {
            previous.object.ringNext = next
            next.object.ringPrevious = previous
            if let head = self.slot(of: Self.word(entry) | Self.ringMark, Self.hash(record)) {
                slots[head] = Self.word(next) | Self.ringMark
            }
        } else if let head = self.slot(of: Self.word(entry) | Self.ringMark, Self.hash(record)) {
            clear(head)
        }
        info.ringNext = nil
        info.ringPrevious = nil
        count -= 1
        return entry
    }

    /// Takes everything out and hands the set's references to the caller.
    mutating func removeAll() -> [Entry] {
        // In the order in which they lie in memory: a table's own order would make every step a miss of the cache.
        var all = entries()
        if all.count > 16 { all.sort { $0.word < $1.word } }
        only = nil
        slots = []
        used = 0
        count = 0
        return all
    }

    // MARK: The table

    private var mask: Int { slots.count - 1 }

    private mutating func place(_ word: UInt, _ hash: Int) {
        var index = hash & mask
        while slots[index] != 0 { index = (index + 1) & mask }
        slots[index] = word
        used += 1
    }

    private func slot(of word: UInt, _ hash: Int) -> Int? {
        guard !slots.isEmpty else { return nil }
        var index = hash & mask
        while slots[index] != 0 {
            if slots[index] == word { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Empties a slot and moves later entries up, so that probing never stops early.
    private mutating func clear(_ slot: Int) {
        var hole = slot
        var index = (hole + 1) & mask
        while slots[index] != 0 {
            let home = hash(of: slots[index]) & mask
            // The entry may move into the hole if its home is not between the hole and where it stands.
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
        if word & Self.ringMark != 0 { return Self.hash(Self.record(of: entry)) }
        return entry.with { Self.hash($0.list, $0.tag) }
    }

    private static func hash(_ list: Unretained<ObserverList>, _ tag: ObservationTag?) -> Int {
        hash(list.word) ^ (tag?.rawValue.hashValue ?? 0)
    }

    /// Spreads an address: its low bits are zero, its high bits alike.
    private static func hash(_ address: UInt) -> Int {
        let product = address &* 0x9E37_79B9_7F4A_7C15
        return Int(bitPattern: product ^ (product >> 32))
    }

    private static func entry(_ word: UInt) -> Entry? {
        Entry(word: word & ~ringMark)
    }

    private static func word(_ entry: Entry) -> UInt { entry.word }

    private static func record(of entry: Entry) -> UInt {
        entry.with { info in
            info.list.with { $0.recordWord }
        }
    }

    private static func address(of record: ObservationRecord) -> UInt {
        Unretained(record).word
    }
}
