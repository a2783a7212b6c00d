internal import Synchronization

/// The storage of a hash table of topic lists, with linear probing.
///
/// A *place* is free, holds a list, or has the mark `left` of a removed list. A search ends at the first free place.
@safe
final class TopicPlaces: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the lock of the topic table guards `used` and `taken`. The elements of `places` are atomic, and
    // everything else is constant.

    /// `list` is the address of a list, zero in a free place, or `left` after the removal of a list.
    private struct Place: ~Copyable {
        let hash = Atomic<UInt>(0)
        let list = Atomic<UInt>(0)
    }

    private static let left: UInt = 1

    private let places: UnsafeMutablePointer<Place>
    private let mask: Int
    /// The number of places that contain a list or contained a list that was removed.
    private(set) var used = 0
    private(set) var taken = 0

    /// `count` must be a power of two.
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

    @inline(__always)
    func first(_ subject: TopicKey.Subject, _ object: ObjectIdentifier?) -> FoundTopic? {
        let hash = TopicKey.hash(subject, object)
        var place = home(of: hash)
        while true {
            let word = with(place) { $0.list.load(ordering: .acquiring) }
            if word == 0 { return nil }
            if word != Self.left, with(place, { $0.hash.load(ordering: .relaxed) }) == hash,
                let found = Unretained<TopicList>(word: word).map({ FoundTopic(list: $0) }), found.with({ $0.isOf(subject, object) })
            {
                return found
            }
            place = (place + 1) & mask
        }
    }

    /// Stores a list that is not stored yet; at least one place must be free.
    func insert(_ list: TopicList) {
        let hash = list.topic.hash
        var place = home(of: hash)
        while with(place, { $0.list.load(ordering: .relaxed) }) > Self.left { place = (place + 1) & mask }
        taken += 1
        list.place = place
        with(place) {
            if $0.list.load(ordering: .relaxed) == 0 { used += 1 }
            $0.hash.store(hash, ordering: .relaxed)
            // Store the address last: a thread that loads the address then also sees the hash and the list's contents.
            $0.list.store(Unretained(list).word, ordering: .releasing)
        }
    }

    func remove(_ list: TopicList) -> Bool {
        guard let place = list.place else { return false }
        list.place = nil
        with(place) { $0.list.store(Self.left, ordering: .releasing) }
        taken -= 1
        return true
    }

    func forEach(_ body: (TopicList) -> Void) {
        for place in 0...mask {
            let word = with(place) { $0.list.load(ordering: .acquiring) }
            if word > Self.left, let list = Unretained<TopicList>(word: word) { FoundTopic(list: list).with(body) }
        }
    }

    @inline(__always)
    private func with<Result>(_ place: Int, _ body: (borrowing Place) -> Result) -> Result { unsafe body(places[place]) }

    private func home(of hash: UInt) -> Int { Int(truncatingIfNeeded: hash) & mask }
}

/// The observer list of a topic, as found in the hash table; the list is not retained.
///
/// Use this value only under the lock of the topic table, or during a delivery, which keeps removed lists in memory.
struct FoundTopic {
    fileprivate let list: Unretained<TopicList>

    @inline(__always)
    func with<Result>(_ body: (TopicList) -> Result) -> Result {
        // SAFETY: the hash table retains its lists. A list that is removed during a delivery stays in memory until the delivery has ended.
        unsafe list.with(body)
    }

    var observers: Unretained<ObserverList> { with { Unretained($0) } }
}

/// The observers that match one event, valid until the delivery of the event ends.
struct TopicMatches {
    /// The observers of the event's name or type, for any object.
    private let about: FoundTopic?
    private let everything: Unretained<ObserverList>?
    /// Observers with a greater serial number were registered too late to get the event.
    private let limit: UInt64
    /// The observers that registered for both the event's name (or type) and the event's object.
    var both: FoundTopic?
    /// The observers that chose the event's object, but no name.
    var of: FoundTopic?

    init(about: FoundTopic?, everything: Unretained<ObserverList>?, limit: UInt64) {
        self.about = about
        self.limit = limit
        // SAFETY: the source's record of observations owns this list, and the delivery in progress keeps the record alive.
        self.everything = everything.flatMap { unsafe $0.with { $0.isEmpty } ? nil : $0 }
    }

    var isEmpty: Bool { about == nil && everything == nil && both == nil && of == nil }

    /// Delivers an event to the matching observers.
    ///
    /// `box` copies the event for handlers that are called later.
    @inline(__always)
    func tell(_ event: EventPointer, box: (EventPointer) -> EventBox) {
        if let about, everything == nil, both == nil, of == nil {
            about.with { $0.deliver(event, onlyPrior: false, upTo: limit, hearsLate: true, box: box) }
        } else {
            var lists = [about, both, of].compactMap { $0?.observers }
            if let everything { lists.append(everything) }
            ObserverList.deliver(event, to: lists, upTo: limit, box: box)
        }
    }
}

/// A topic: the name or type of the events that an observer selects, and optionally the object that the events are about.
package struct TopicKey: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        /// All events that have a name.
        case anyName
        case name(MessageName)
        case type(ObjectIdentifier)
    }

    package let subject: Subject
    /// `nil` selects events about any object or none.
    ///
    /// A new object can have the identity of a deallocated one. So the user of the key must compare the objects, too.
    let object: ObjectIdentifier?

    init(_ subject: Subject, of object: AnyObject?) {
        self.init(subject, object.map { ObjectIdentifier($0) })
    }

    init(_ subject: Subject, _ object: ObjectIdentifier?) {
        self.subject = subject
        self.object = object
    }

    var hash: UInt { Self.hash(subject, object) }

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
