internal import Synchronization

/// The places of a hash table of lists.
///
/// A place is free, taken, or was taken; from its home on, a search passes places of all kinds but free ones.
@safe
final class TopicPlaces: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything that changes is atomic, but for `used` and `taken`, which belong to the table's lock.
    // (of the pointer) it is initialised in `init` and given back in `deinit`; places are never outside `mask`.

    /// A place: the hash of its topic and the list.
    private struct Place: ~Copyable {
        let hash = Atomic<UInt>(0)
        let list = Atomic<UInt>(0)
    }

    /// The word of a place that was taken.
    private static let left: UInt = 1

    private let places: UnsafeMutablePointer<Place>
    private let mask: Int
    /// How many places are not free.
    private(set) var used = 0
    /// How many are taken.
    private(set) var taken = 0

    /// Makes free places.
    ///
    /// - Parameter count: How many: a power of two.
    init(count: Int) {
        mask = count - 1
        unsafe places = UnsafeMutablePointer<Place>.allocate(capacity: count)
        for place in 0..<count { unsafe (places + place).initialize(to: Place()) }
    }

    deinit {
        unsafe places.deinitialize(count: mask + 1)
        unsafe places.deallocate()
    }

    var count: Int { mask + 1 }

    /// The first list with a hash that matches.
    ///
    /// Not retained.
    @inline(__always)
    func first(_ hash: UInt, where matches: (TopicList) -> Bool) -> Unretained<TopicList>? {
        var place = home(of: hash)
        while true {
            let word = with(place) { $0.list.load(ordering: .acquiring) }
            if word == 0 { return nil }
            if word != Self.left, with(place, { $0.hash.load(ordering: .relaxed) }) == hash,
                let list = Unretained<TopicList>(word: word), unsafe list.with(matches)
            {
                return list
            }
            place = (place + 1) & mask
        }
    }

    /// Takes a place for a list that is not there; there must be a free one.
    func insert(_ list: Unretained<TopicList>, _ hash: UInt) {
        var place = home(of: hash)
        while with(place, { $0.list.load(ordering: .relaxed) }) > Self.left { place = (place + 1) & mask }
        taken += 1
        unsafe list.with { $0.place = place }
        with(place) {
            if $0.list.load(ordering: .relaxed) == 0 { used += 1 }
            $0.hash.store(hash, ordering: .relaxed)
            // Publishes the list: whoever finds it sees all of it.
            $0.list.store(list.word, ordering: .releasing)
        }
    }

    /// Leaves the place of a list.
    ///
    /// - Returns: whether it had one.
    func remove(_ list: TopicList) -> Bool {
        guard let place = list.place else { return false }
        list.place = nil
        with(place) { $0.list.store(Self.left, ordering: .releasing) }
        taken -= 1
        return true
    }

    /// All lists, with their hashes.
    func forEach(_ body: (Unretained<TopicList>, UInt) -> Void) {
        for place in 0...mask {
            with(place) {
                let word = $0.list.load(ordering: .acquiring)
                if word > Self.left, let list = Unretained<TopicList>(word: word) { body(list, $0.hash.load(ordering: .relaxed)) }
            }
        }
    }

    @inline(__always)
    private func with<Result>(_ place: Int, _ body: (borrowing Place) -> Result) -> Result { unsafe body(places[place]) }

    private func home(of hash: UInt) -> Int { Int(truncatingIfNeeded: hash) & mask }
}

/// The lists that an event of a topic concerns, in a delivery that has pinned the record.
struct TopicMatches {
    private let about: FoundTopic?
    private let everything: Unretained<ObserverList>?
    /// Who is heard from.
    private let limit: UInt32
    var both: FoundTopic?
    var of: FoundTopic?

    init(about: FoundTopic?, everything: Unretained<ObserverList>?, limit: UInt32) {
        self.about = about
        self.limit = limit
        // SAFETY: (also below) the delivery has pinned the record, which keeps the lists that were found.
        self.everything = everything.flatMap { unsafe $0.with { $0.isEmpty } ? nil : $0 }
    }

    var isEmpty: Bool { about == nil && everything == nil && both == nil && of == nil }

    /// Tells them an event.
    ///
    /// - Parameters:
    ///   - event: A pointer to the event, with its source.
    ///   - box: Makes a copy of the event.
    @inline(__always)
    func tell(_ event: EventPointer, box: (EventPointer) -> EventBox) {
        if let about, everything == nil, both == nil, of == nil {
            unsafe about.list.with { $0.deliver(event, onlyPrior: false, upTo: limit, hearsLate: true, box: box) }
        } else {
            var lists = [about, both, of].compactMap { found in unsafe found?.list.with { Unretained<ObserverList>($0) } }
            if let everything { lists.append(everything) }
            ObserverList.deliver(event, to: lists, upTo: limit, box: box)
        }
    }

    /// Notifies some of them of an event.
    ///
    /// - Parameters:
    ///   - audience: Which observers; not all.
    ///   - event: A pointer to the event, with its source.
    ///   - box: Makes a copy of the event.
    func tell(_ audience: TopicAudience, _ event: EventPointer, box: (EventPointer) -> EventBox) {
        let named = [about, both].compactMap { found in unsafe found?.list.with { Unretained<ObserverList>($0) } }
        let everyName = unsafe [everything, of?.list.with { Unretained<ObserverList>($0) }].compactMap { $0 }
        switch audience {
        case .everybody: tell(event, box: box)
        case .named(let boundary, let present):
            ObserverList.deliver(event, to: named + everyName, upTo: present, box: box) { list, info in
                list < named.count || info.comes(after: boundary)
            }
        case .everyName(let boundary, let present):
            ObserverList.deliver(event, to: everyName, upTo: present, box: box) { _, info in !info.comes(after: boundary) }
        }
    }
}

/// What an observer of a source with many kinds of events asks for.
package struct TopicKey: Hashable, Sendable {
    /// The kinds of events.
    package enum Subject: Hashable, Sendable {
        /// All that have names.
        case anyName
        /// Those with a name.
        case name(MessageName)
        /// Those of a type.
        case type(ObjectIdentifier)
    }

    /// Which kind of events.
    package let subject: Subject
    /// Of which object; nil for any and none.
    ///
    /// An address: whoever finds a topic by it looks whether it is still that object.
    let object: ObjectIdentifier?

    init(_ subject: Subject, of object: AnyObject?) {
        self.init(subject, object.map { ObjectIdentifier($0) })
    }

    init(_ subject: Subject, _ object: ObjectIdentifier?) {
        self.subject = subject
        self.object = object
    }

    var hash: UInt { Self.hash(subject, object) }

    /// A number for a topic: a name has one already, and an address is as good as one once its bits are mixed.
    static func hash(_ subject: Subject, _ object: ObjectIdentifier?) -> UInt {
        let address = object.map { UInt(bitPattern: $0) } ?? 0
        let number: UInt =
            switch subject {
            case .anyName: address
            case .name(let name): UInt(bitPattern: name.hash) &+ address
            case .type(let type): UInt(bitPattern: type) &* 3 &+ address
            }
        let mixed = number &* UInt(truncatingIfNeeded: 0x9E37_79B9_7F4A_7C15 as UInt64)
        return mixed ^ (mixed >> (UInt.bitWidth / 2))
    }
}
