internal import Synchronization

/// The registrations for one key, as a doubly linked list in order of registration.
///
/// The registrations' ``ObservationInfo`` objects (*infos*) store the links. The chain owns one reference to each of
/// them.
///
/// A caller that adds or removes infos must hold the lock of the object's record. A caller that walks the chain needs
/// no lock, but must have pinned the record, which keeps removed infos in memory.
struct LinkedChain: ~Copyable {
    private let head = Atomic<UInt>(0)
    private let tail = Atomic<UInt>(0)

    // SAFETY: (of the references in this type) each is the address of a registration that the chain owns, or of a
    // removed one that the pinned record keeps in memory.

    var isEmpty: Bool { head.load(ordering: .acquiring) == 0 }

    func append(_ info: ObservationInfo) {
        insert(info, after: Unretained(word: tail.load(ordering: .relaxed)))
    }

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
        // The store of the link must come last, so that a thread that follows the link also sees everything that was
        // written to `info`.
        if let place = place {
            unsafe place.with { $0.next.store(entry.word, ordering: .releasing) }
        } else {
            head.store(entry.word, ordering: .releasing)
        }
    }

    /// Removes a registration from the chain.
    ///
    /// The removed registration must keep its `next` link, which a delivery on another thread may be about to follow.
    ///
    /// - Returns: The chain's reference to the registration. The caller must release it.
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

    /// A position in the chain, for a caller that walks several chains at the same time.
    struct Cursor {
        private(set) var info: Unretained<ObservationInfo>?

        mutating func advance() {
            info = unsafe info?.with { Unretained(word: $0.next.load(ordering: .acquiring)) }
        }

        fileprivate init(_ word: UInt) { info = Unretained(word: word) }
    }

    func cursor(lock: borrowing Lock) -> Cursor { Cursor(head.load(ordering: .acquiring)) }

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
