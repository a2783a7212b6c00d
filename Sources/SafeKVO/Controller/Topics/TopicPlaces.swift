internal import Synchronization

/// The storage of a hash table of topic lists.
///
/// Each place is free, holds a list, or has held a list that is removed. A search for a hash begins at the hash's home place. It checks one
/// place after the other until it reaches a free one.
@safe
final class TopicPlaces: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) every variable is atomic, except `used` and `taken`, which are guarded by the lock of the topic
    // table. (of the pointer) `init` initialises the memory, `deinit` frees it, and `mask` keeps every index inside it.

    /// One place: the hash of a topic, and the address of its list.
    private struct Place: ~Copyable {
        let hash = Atomic<UInt>(0)
        let list = Atomic<UInt>(0)
    }

    /// The word that marks a place whose list was removed.
    private static let left: UInt = 1

    private let places: UnsafeMutablePointer<Place>
    private let mask: Int
    /// The number of places that are not free, because they hold or have held a list.
    private(set) var used = 0
    /// The number of places that hold a list.
    private(set) var taken = 0

    /// Makes storage with free places.
    ///
    /// - Parameter count: The number of places, which must be a power of two.
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

    /// Returns the first list with the given hash that matches, or nil.
    ///
    /// The list is not retained.
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

    /// Stores a list that is not stored yet; there must be a free place.
    func insert(_ list: Unretained<TopicList>, _ hash: UInt) {
        var place = home(of: hash)
        while with(place, { $0.list.load(ordering: .relaxed) }) > Self.left { place = (place + 1) & mask }
        taken += 1
        unsafe list.with { $0.place = place }
        with(place) {
            if $0.list.load(ordering: .relaxed) == 0 { used += 1 }
            $0.hash.store(hash, ordering: .relaxed)
            // This store publishes the list. A thread that loads its address sees all of its contents.
            $0.list.store(list.word, ordering: .releasing)
        }
    }

    /// Removes a list from its place.
    ///
    /// - Returns: `true` if the list had a place.
    func remove(_ list: TopicList) -> Bool {
        guard let place = list.place else { return false }
        list.place = nil
        with(place) { $0.list.store(Self.left, ordering: .releasing) }
        taken -= 1
        return true
    }

    /// Calls a closure with each list and its hash.
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

/// The lists of the observers that one event concerns.
///
/// They are found and used during a delivery. It has pinned the record of the source, so lists that are removed meanwhile stay in memory.
struct TopicMatches {
    /// The observers of the event's kind, with any object.
    private let about: FoundTopic?
    /// The observers of all events.
    private let everything: Unretained<ObserverList>?
    /// The cutoff serial: observers that were registered after it do not get the event.
    private let limit: UInt32
    /// The observers of the event's kind with the event's object.
    var both: FoundTopic?
    /// The observers of every name with the event's object.
    var of: FoundTopic?

    init(about: FoundTopic?, everything: Unretained<ObserverList>?, limit: UInt32) {
        self.about = about
        self.limit = limit
        // SAFETY: (also below) the delivery has pinned the record, so the lists that were found stay in memory.
        self.everything = everything.flatMap { unsafe $0.with { $0.isEmpty } ? nil : $0 }
    }

    var isEmpty: Bool { about == nil && everything == nil && both == nil && of == nil }

    /// Delivers an event to the observers in all these lists.
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

    /// Delivers an event to some of the observers in these lists.
    ///
    /// - Parameters:
    ///   - audience: The observers that get the event.
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

/// A topic: the kind of events that an observer selects, and the object to whose events it restricts them.
package struct TopicKey: Hashable, Sendable {
    /// A kind of events.
    package enum Subject: Hashable, Sendable {
        /// Every event that has a name.
        case anyName
        /// The events with one name.
        case name(MessageName)
        /// The events of one type.
        case type(ObjectIdentifier)
    }

    /// The selected kind of events.
    package let subject: Subject
    /// The address of the object whose events are selected; nil selects events of every object and of none.
    ///
    /// The object may have been deallocated, and another object may have its address. Whoever finds a topic by the address must check that.
    let object: ObjectIdentifier?

    init(_ subject: Subject, of object: AnyObject?) {
        self.init(subject, object.map { ObjectIdentifier($0) })
    }

    init(_ subject: Subject, _ object: ObjectIdentifier?) {
        self.subject = subject
        self.object = object
    }

    var hash: UInt { Self.hash(subject, object) }

    /// Returns a hash of a topic.
    ///
    /// A name stores its hash. An address serves as a hash once its bits are mixed.
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
