internal import Synchronization

/// Lists of observers, oldest first, linked through themselves: finding one needs no lock.
///
/// The chain owns one reference to each. Lists are published whole, and stay as long as the chain.
struct ListChain: ~Copyable {
    // SAFETY: a word in `head` or in a list's `nextList` is the address of a list that the chain holds a reference to.

    private let head = Atomic<UInt>(0)

    deinit {
        var next = Unretained<ObserverList>(word: head.load(ordering: .relaxed))
        while let list = next {
            next = unsafe list.with { Unretained(word: $0.nextList.load(ordering: .relaxed)) }
            unsafe list.release()
        }
    }

    /// The first list that matches.
    ///
    /// Not retained: the chain keeps it.
    @inline(__always)
    func first(where matches: (ObserverList) -> Bool) -> Unretained<ObserverList>? {
        var next = Unretained<ObserverList>(word: head.load(ordering: .acquiring))
        while let list = next {
            if unsafe list.with(matches) { return list }
            next = unsafe list.with { Unretained(word: $0.nextList.load(ordering: .acquiring)) }
        }
        return nil
    }

    /// The first list that matches, if it is one of the oldest.
    ///
    /// - Parameters:
    ///   - count: How many lists to look at.
    ///   - matches: Whether a list matches.
    /// - Returns: the list, not retained.
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

    /// Visits all lists.
    func forEach(_ body: (Unretained<ObserverList>) -> Void) {
        _ = first { list in
            body(Unretained(list))
            return false
        }
    }

    /// The first list that matches, or a new one.
    ///
    /// The match may run user code, the `==` of a key path's subscript arguments, so it is made outside any lock; lists that others append
    /// meanwhile are looked at before a new one is.
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
    ///   - list: A list that nobody else adds.
    ///   - known: A list of the chain to begin from; nil for the first.
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
