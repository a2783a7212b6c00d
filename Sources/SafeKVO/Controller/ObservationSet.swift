/// A controller's observations: found by what they observe, listed by whom they observe, in a few steps however many there are.
///
/// A pure table without locks or calls. All infos form a chain through themselves, in which those of one subject are neighbours, in the order
/// in which they came. One array with linear probing holds two sorts of entries: every info under its list and tag, and, marked in the
/// lowest bit, the last info of each subject under the subject's record. An info is one observation exactly if list and tag are its own,
/// because lists are made one for each key of a subject.
///
/// The set owns one reference to each info in it.
struct ObservationSet: ~Copyable {
    // SAFETY: (of the conversions below) every word but zero is the address of an info that the set owns a reference to, with the mark
    // of a subject in its lowest bit; infos are aligned to more than two bytes.

    typealias Entry = Unretained<ObservationInfo>

    private var first: Entry?
    private var last: Entry?
    /// Nothing until there are two infos: most controllers of many observers of one subject have no more, and need no table.
    private var slots: [UInt] = []
    private var used = 0
    private(set) var count = 0

    private static let subjectMark: UInt = 1

    // MARK: Looking up

    /// The observation of a list under a tag.
    func entry(list: Unretained<ObserverList>, tag: ObservationTag?) -> Entry? {
        if slots.isEmpty { return first.flatMap { first in Self.with(first) { $0.list == list && $0.tag == tag } ? first : nil } }
        var index = Self.hash(list, tag) & mask
        while slots[index] != 0 {
            let word = slots[index]
            if word & Self.subjectMark == 0, let entry = Self.entry(word), Self.with(entry, { $0.list == list && $0.tag == tag }) {
                return entry
            }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Where the last of a subject's observations is.
    private func subjectSlot(of record: UInt) -> Int? {
        var index = Self.hash(record) & mask
        while slots[index] != 0 {
            let word = slots[index]
            if word & Self.subjectMark != 0, let entry = Self.entry(word), Self.record(of: entry) == record { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    /// The observations of a subject, oldest first.
    func entries(record: ObservationRecord) -> [Entry] {
        let record = Unretained(record).word
        var last = first
        if !slots.isEmpty { last = subjectSlot(of: record).flatMap { Self.entry(slots[$0]) } }
        var all: [Entry] = []
        while let entry = last, Self.record(of: entry) == record {
            all.append(entry)
            last = Self.with(entry) { $0.previousOfOwner }
        }
        return all.reversed()
    }

    /// All observations, those of a subject together.
    func entries() -> [Entry] {
        var all: [Entry] = []
        all.reserveCapacity(count)
        var next = first
        while let entry = next {
            all.append(entry)
            next = Self.with(entry) { $0.nextOfOwner }
        }
        return all
    }

    // MARK: Changing

    /// Puts an info in.
    ///
    /// Its list and tag must not be there.
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

    /// Puts an info into the table, and into the chain if others are there.
    private mutating func file(_ info: ObservationInfo, _ entry: Entry) {
        if (used + 2) * 4 > slots.count * 3 { grow() }
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

    /// Takes an info out, if it is in, and hands the set's reference to the caller.
    mutating func remove(_ info: ObservationInfo) -> Entry? {
        let entry = Unretained(info)
        if slots.isEmpty { return first == entry ? takeChain() : nil }
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
        return entry
    }

    /// Takes all infos out of the chain, but not out of the table.
    private mutating func takeChain() -> Entry? {
        defer { (first, last, count) = (nil, nil, 0) }
        return first
    }

    /// Takes everything out and hands the set's references to the caller, with the chain from the first info on.
    mutating func removeAll() -> Entry? {
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

    private func slot(of word: UInt, _ hash: Int) -> Int? {
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
        if word & Self.subjectMark != 0 { return Self.hash(Self.record(of: entry)) }
        return Self.with(entry) { Self.hash($0.list, $0.tag) }
    }

    private static func hash(_ list: Unretained<ObserverList>, _ tag: ObservationTag?) -> Int {
        hash(list.word) ^ (tag?.rawValue.hashValue ?? 0)
    }

    /// Spreads an address: its low bits are zero, its high bits alike.
    private static func hash(_ address: UInt) -> Int {
        let product = address &* 0x9E37_79B9_7F4A_7C15
        return Int(bitPattern: product ^ (product >> 32))
    }

    /// Uses an info of the set without taking a reference.
    @inline(__always)
    private static func with<Result>(_ entry: Entry, _ body: (ObservationInfo) -> Result) -> Result {
        // SAFETY: the set owns a reference to each info in it.
        unsafe entry.with(body)
    }

    private static func entry(_ word: UInt) -> Entry? {
        Entry(word: word & ~subjectMark)
    }

    private static func record(of entry: Entry) -> UInt {
        // SAFETY: an observation that is in the set has not ended, and keeps its list.
        with(entry) { info in unsafe info.list.with { $0.recordWord } }
    }
}
