internal import Synchronization

/// The infos of one key in order of registration, linked through themselves: adding and removing take the same few steps however
/// many others there are, and a delivery passes along without a lock and without retaining anything.
///
/// The chain owns one reference to each info. Everything but `forEach` and cursors wants the record's lock; those want the record pinned.
struct LinkedChain: ~Copyable {
    private let head = Atomic<UInt>(0)
    private let tail = Atomic<UInt>(0)

    // SAFETY: (of the references below) a word in `head`, `tail`, `next` or `previous` is the address of an
    // info that the chain holds a reference to, or that the reclaimer keeps until the last pinned delivery has passed.

    /// Whether nothing hangs here.
    var isEmpty: Bool { head.load(ordering: .acquiring) == 0 }

    /// Puts an info at the end.
    func append(_ info: ObservationInfo) {
        insert(info, after: Unretained(word: tail.load(ordering: .relaxed)))
    }

    /// Puts an info behind another, or first.
    func insert(_ info: ObservationInfo, after place: Unretained<ObservationInfo>?) {
        let entry = Unretained(info)
        unsafe entry.retain()
        let following =
            unsafe place?.with { $0.next.load(ordering: .relaxed) } ?? head.load(ordering: .relaxed)
        info.previous = place
        info.next.store(following, ordering: .relaxed)
        if let after = Unretained<ObservationInfo>(word: following) {
            unsafe after.with { $0.previous = entry }
        } else {
            tail.store(entry.word, ordering: .relaxed)
        }
        // Publishes the info: a delivery that sees it sees all of it.
        if let place = place {
            unsafe place.with { $0.next.store(entry.word, ordering: .releasing) }
        } else {
            head.store(entry.word, ordering: .releasing)
        }
    }

    /// Takes an info out.
    ///
    /// Its own `next` stays, for deliveries that are standing on it.
    func remove(_ info: ObservationInfo) -> Unretained<ObservationInfo> {
        let following = info.next.load(ordering: .relaxed)
        if let before = info.previous {
            unsafe before.with { $0.next.store(following, ordering: .releasing) }
        } else {
            head.store(following, ordering: .releasing)
        }
        if let after = Unretained<ObservationInfo>(word: following) {
            unsafe after.with { $0.previous = info.previous }
        } else {
            tail.store(info.previous?.word ?? 0, ordering: .relaxed)
        }
        return Unretained(info)
    }

    /// Where a walk that somebody else leads has come.
    struct Cursor {
        private(set) var info: Unretained<ObservationInfo>?

        /// Goes on to the next info.
        mutating func advance() {
            info = unsafe info?.with { Unretained(word: $0.next.load(ordering: .acquiring)) }
        }

        fileprivate init(_ word: UInt) { info = Unretained(word: word) }
    }

    /// The beginning of a walk.
    func cursor(lock: borrowing Lock) -> Cursor { Cursor(head.load(ordering: .acquiring)) }

    /// Passes every info along that is linked.
    @inline(__always)
    func forEach(lock: borrowing Lock, _ body: (ObservationInfo) -> Void) {
        var word = head.load(ordering: .acquiring)
        while let entry = Unretained<ObservationInfo>(word: word) {
            word = unsafe entry.with { info in
                body(info)
                return info.next.load(ordering: .acquiring)
            }
        }
    }
}
