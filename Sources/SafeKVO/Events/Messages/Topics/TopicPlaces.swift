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
