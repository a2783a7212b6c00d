internal import Synchronization

/// The infos of one key in order of registration, as a doubly linked list; an *info* is one registration.
///
/// The links are stored in the infos. To add or to remove an info takes constant time. A delivery walks the chain without a lock, and
/// without retaining the infos.
///
/// The chain owns one reference to each info. To add, insert and remove infos requires the record's lock. `forEach` and cursors require
/// that the record is pinned. `isEmpty` requires nothing.
struct LinkedChain: ~Copyable {
    private let head = Atomic<UInt>(0)
    private let tail = Atomic<UInt>(0)

    // SAFETY: (of the references below) A word in `head`, `tail`, `next` or `previous` is the address of an info. Either the chain owns a
    // reference to this info, or the record keeps the info until the last pinned delivery has ended.

    /// `true` if the chain has no infos.
    var isEmpty: Bool { head.load(ordering: .acquiring) == 0 }

    /// Adds an info at the end.
    func append(_ info: ObservationInfo) {
        insert(info, after: Unretained(word: tail.load(ordering: .relaxed)))
    }

    /// Inserts an info after another one, or at the beginning if `place` is `nil`.
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
        // This store publishes the info. A delivery that reads the link also sees everything written to the info before.
        if let place = place {
            unsafe place.with { $0.next.store(entry.word, ordering: .releasing) }
        } else {
            head.store(entry.word, ordering: .releasing)
        }
    }

    /// Removes an info from the chain.
    ///
    /// The removed info keeps its own `next` link, so that a delivery that has reached this info can go on from it.
    ///
    /// - Parameter info: The info.
    /// - Returns: The chain's reference to the info, which the caller must release.
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

    /// A position in a walk along the chain, for a caller that controls the walk.
    struct Cursor {
        private(set) var info: Unretained<ObservationInfo>?

        /// Moves to the next info.
        mutating func advance() {
            info = unsafe info?.with { Unretained(word: $0.next.load(ordering: .acquiring)) }
        }

        fileprivate init(_ word: UInt) { info = Unretained(word: word) }
    }

    /// Returns a cursor at the first info.
    func cursor(lock: borrowing Lock) -> Cursor { Cursor(head.load(ordering: .acquiring)) }

    /// Calls a closure with each info in the chain.
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
