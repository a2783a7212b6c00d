internal import Synchronization

/// A linked list of ``ObserverList`` objects, oldest first, that is searched without a lock.
///
/// Each object is complete before it is added, and is never removed.
struct ListChain: ~Copyable {
    // SAFETY: (of the references in this type) the chain is part of a record. It owns a reference to each of its lists until its own end, but
    // not to the record itself, which may be the first list. `head` and each list's `nextList` refer to such lists.

    private let head = Atomic<UInt>(0)

    deinit {
        var next = Unretained<ObserverList>(word: head.load(ordering: .relaxed))
        while let list = next {
            let isOwned = Self.with(list) { list in
                next = Unretained(word: list.nextList.load(ordering: .relaxed))
                return !list.isRecord
            }
            if isOwned { unsafe list.release() }
        }
    }

    @inline(__always)
    private static func with<Result>(_ list: Unretained<ObserverList>, _ body: (ObserverList) -> Result) -> Result {
        unsafe list.with(body)
    }

    @inline(__always)
    func first(where matches: (ObserverList) -> Bool) -> Unretained<ObserverList>? {
        var next = Unretained<ObserverList>(word: head.load(ordering: .acquiring))
        while let list = next {
            if Self.with(list, matches) { return list }
            next = Self.with(list) { Unretained(word: $0.nextList.load(ordering: .acquiring)) }
        }
        return nil
    }

    /// Returns the first list that matches, with a reference that keeps the list alive, unlike `first(where:)`.
    func list(where matches: (ObserverList) -> Bool) -> ObserverList? {
        first(where: matches).map { Self.with($0) { $0 } }
    }

    func forEach(_ body: (ObserverList) -> Void) {
        _ = first { list in
            body(list)
            return false
        }
    }

    /// Returns the first list that matches, or makes and adds one.
    ///
    /// `matches` may run code of the program, so no lock is held during its calls.
    func list(where matches: (ObserverList) -> Bool, orMake make: () -> ObserverList) -> ObserverList {
        var made: ObserverList?
        while true {
            var last: ObserverList?
            let found = first { list in
                last = list
                return matches(list)
            }
            if found != nil, let last { return last }
            let list = made ?? make()
            made = list
            if link(list, after: last) { return list }
        }
    }

    /// Adds a list after `last`, or as the first one if `last` is `nil`; returns `false` if another list is already there.
    @discardableResult
    func link(_ list: ObserverList, after last: ObserverList? = nil) -> Bool {
        func link(at place: borrowing Atomic<UInt>) -> Bool {
            place.compareExchange(expected: 0, desired: Unretained(list).word, ordering: .releasing).exchanged
        }
        guard last.map({ link(at: $0.nextList) }) ?? link(at: head) else { return false }
        if !list.isRecord { unsafe Unretained(list).retain() }
        return true
    }
}
