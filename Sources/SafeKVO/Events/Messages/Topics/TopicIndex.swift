/// The lists of topics by topic: a hash table whose hashes are known, for it is asked several times for each message.
///
/// What is removed is handed to the caller, to be released where the caller holds no lock.
struct TopicIndex {
    /// What is known of a topic.
    struct Entry {
        let topic: Topic
        let list: ObserverList
        /// How many registrations have found the list and may still hang an info into it.
        var reservations = 0
    }

    /// The hash of the topic in each place; zero if the place is free.
    ///
    /// A topic is as near behind the place that its hash points to as there was room.
    private var hashes: [UInt] = []
    private var entries: [Entry?] = []
    private(set) var count = 0

    private var mask: Int { hashes.count - 1 }

    private static let leastPlaces = 8

    /// The place of a topic.
    func place(of subject: Topic.Subject, _ object: ObjectIdentifier?) -> Int? {
        if count == 0 { return nil }
        let hash = Topic.hash(subject, object)
        var place = home(of: hash)
        while hashes[place] != 0 {
            if hashes[place] == hash, let topic = entries[place]?.topic, topic.object == object, topic.subject == subject { return place }
            place = (place + 1) & mask
        }
        return nil
    }

    /// The list of a topic.
    func list(of subject: Topic.Subject, _ object: ObjectIdentifier?) -> ObserverList? {
        place(of: subject, object).flatMap { entries[$0]?.list }
    }

    /// What is in a place that is taken.
    func entry(at place: Int) -> Entry? { entries[place] }

    /// Counts a reservation of the topic in a place in or out.
    mutating func reserve(at place: Int, _ change: Int) { entries[place]?.reservations += change }

    /// Adds a topic that is not there.
    mutating func insert(_ entry: Entry) {
        if (count + 1) * 2 > hashes.count { grow() }
        count += 1
        place(entry, Topic.hash(entry.topic.subject, entry.topic.object))
    }

    private mutating func place(_ entry: Entry, _ hash: UInt) {
        var place = home(of: hash)
        while hashes[place] != 0 { place = (place + 1) & mask }
        hashes[place] = hash
        entries[place] = entry
    }

    private mutating func grow() {
        let old = (hashes, entries)
        let places = max(Self.leastPlaces, hashes.count * 2)
        hashes = Array(repeating: 0, count: places)
        entries = Array(repeating: nil, count: places)
        for case (let hash, let entry?) in zip(old.0, old.1) { place(entry, hash) }
    }

    /// Takes out the topic in a place that is taken.
    mutating func remove(at place: Int) -> Entry? {
        let removed = entries[place].take()
        hashes[place] = 0
        count -= 1
        // What was pushed behind it moves up.
        var free = place
        var next = (place + 1) & mask
        while hashes[next] != 0 {
            let home = home(of: hashes[next])
            if (next - home) & mask >= (next - free) & mask {
                hashes.swapAt(free, next)
                entries.swapAt(free, next)
                free = next
            }
            next = (next + 1) & mask
        }
        return removed
    }

    /// Takes out all topics.
    mutating func removeAll() -> [Entry] {
        defer { self = TopicIndex() }
        return entries.compactMap { $0 }
    }

    /// All that is known.
    var all: [Entry] { entries.compactMap { $0 } }

    private func home(of hash: UInt) -> Int { Int(truncatingIfNeeded: hash >> 1) & mask }
}
