internal import Synchronization

/// A linked list of observer lists, oldest first, that is searched without a lock.
///
/// The chain owns one reference to each list. A list is complete before it is added, and is never removed.
struct ListChain: ~Copyable {
    // SAFETY: (of the references in this type) `head` and each list's `nextList` are addresses of lists to which the
    // chain owns a reference.

    private let head = Atomic<UInt>(0)

    deinit {
        var next = Unretained<ObserverList>(word: head.load(ordering: .relaxed))
        while let list = next {
            next = unsafe list.with { Unretained(word: $0.nextList.load(ordering: .relaxed)) }
            unsafe list.release()
        }
    }

    @inline(__always)
    func first(where matches: (ObserverList) -> Bool) -> Unretained<ObserverList>? {
        var next = Unretained<ObserverList>(word: head.load(ordering: .acquiring))
        while let list = next {
            if unsafe list.with(matches) { return list }
            next = unsafe list.with { Unretained(word: $0.nextList.load(ordering: .acquiring)) }
        }
        return nil
    }

    @inline(__always)
    func first(among count: Int, where matches: (ObserverList) -> Bool) -> Unretained<ObserverList>? {
        var next = Unretained<ObserverList>(word: head.load(ordering: .acquiring))
        for _ in 0..<count {
            guard let list = next else { return nil }
            if unsafe list.with(matches) { return list }
            next = unsafe list.with { Unretained(word: $0.nextList.load(ordering: .acquiring)) }
        }
        return nil
    }

    func forEach(_ body: (Unretained<ObserverList>) -> Void) {
        _ = first { list in
            body(Unretained(list))
            return false
        }
    }

    /// Returns the first list for which `matches` returns `true`, or else makes and adds a list.
    ///
    /// `matches` may run code of the program, so it is called outside any lock. If another thread adds a list
    /// meanwhile, `matches` is called for that list, too.
    func list(where matches: (ObserverList) -> Bool, orMake make: () -> ObserverList) -> ObserverList {
        var made: ObserverList?
        while true {
            var last: ObserverList?
            let found = first { list in
                last = list
                return matches(list)
            }
            if let found { return unsafe found.object }
            let list = made ?? make()
            made = list
            let word = Unretained(list).word
            let place: (exchanged: Bool, original: UInt) =
                if let last {
                    last.nextList.compareExchange(expected: 0, desired: word, ordering: .acquiringAndReleasing)
                } else {
                    head.compareExchange(expected: 0, desired: word, ordering: .acquiringAndReleasing)
                }
            if place.exchanged {
                unsafe Unretained(list).retain()
                return list
            }
        }
    }

    /// Adds a list at the end.
    ///
    /// - Parameters:
    ///   - list: The list. No other thread may add it.
    ///   - known: The list at which the search for the end begins, or `nil` to begin at the first list.
    func append(_ list: ObserverList, after known: Unretained<ObserverList>?) {
        let word = Unretained(list).word
        unsafe Unretained(list).retain()
        var last = known
        while true {
            let original =
                if let last {
                    unsafe last.with { $0.nextList.compareExchange(expected: 0, desired: word, ordering: .acquiringAndReleasing).original }
                } else {
                    head.compareExchange(expected: 0, desired: word, ordering: .acquiringAndReleasing).original
                }
            guard let next = Unretained<ObserverList>(word: original) else { return }
            last = next
        }
    }
}

#if SAFEKVO_PLAIN_LIST

    typealias ObserverChain = PlainChain
    typealias DeliveryPins = PlainPins
    typealias Limbo = PlainLimbo

#else

    typealias ObserverChain = LinkedChain
    typealias DeliveryPins = EpochPins
    typealias Limbo = EpochLimbo

#endif
