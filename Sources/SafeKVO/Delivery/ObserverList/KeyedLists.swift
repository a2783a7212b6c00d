/// The lists of keys that are not stored properties, in one table under the record's lock.
///
/// The hash and the `==` of a key path may run code of the program, for its subscript arguments. So a key path is hashed before the lock is
/// taken, and compared with those of the lists that were found after the lock is released.
enum ListKey: Hashable {
    /// All lists of computed and nested key paths.
    case paths
    /// The lists of values that the library itself checks for changes, for example by polling.
    case pulled
    /// The lists of computed properties that override stored ones.
    case overriding
    /// A list whose first key path is this very object; saves the hash, which is slow.
    case spelling(ObjectIdentifier)
    case hash(Int)
}

extension ObservationRecord {
    func lists(_ key: ListKey) -> [ObserverList] { lock.withLock { keyedLists[key] ?? [] } }

    func add(_ list: ObserverList, at key: ListKey) { lock.withLock { keyedLists[key, default: []].append(list) } }

    /// Returns the first list with a key that matches, or makes one and adds it, with the other keys, too.
    func list(
        _ key: ListKey, _ others: [ListKey] = [], where matches: (ObserverList) -> Bool, orMake make: () -> ObserverList
    ) -> ObserverList {
        var made: ObserverList?
        while true {
            let present = lists(key)
            if let found = present.first(where: matches) { return found }
            let list = made ?? make()
            made = list
            let isAdded = lock.withLock {
                if keyedLists[key]?.count ?? 0 != present.count { return false }
                for key in [key] + others { keyedLists[key, default: []].append(list) }
                return true
            }
            if isAdded { return list }
        }
    }

    func forEachList(_ body: (ObserverList) -> Void) {
        forEachKey(body)
        entireList.map(body)
        lists(.pulled).forEach(body)
    }

    func forEachKey(_ body: (ObserverList) -> Void) {
        properties.forEach(body)
        lists(.paths).forEach(body)
    }
}
