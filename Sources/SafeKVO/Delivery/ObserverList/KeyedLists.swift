/// The lists of keys that are not stored properties, in one table under the record's lock.
///
/// The hash and the `==` of a key path may run code of the program, for its subscript arguments. So a key path is hashed before the lock is
/// taken, and compared with those of the lists that were found after the lock is released.
enum ListKey {
    /// All lists of computed and nested key paths.
    static let paths: UInt = 0
    /// The lists of values that the library itself checks for changes, for example by polling.
    static let pulled: UInt = 1
    /// The lists of computed properties that override stored ones.
    static let overriding: UInt = 2

    /// The key of the lists of the key paths with the same hash; is greater than the keys above.
    static func hash(of keyPath: AnyKeyPath) -> UInt { UInt(bitPattern: keyPath.hashValue) | 4 }

    /// The key of those of the lists under a key that belong to one home; other lists may have the same key.
    static func path(_ key: UInt, at home: UInt) -> UInt { key ^ home &* UInt(truncatingIfNeeded: 0x9E37_79B9_7F4A_7C15 as UInt64) | 4 }

    /// The key of the lists whose first key path is this very object; saves the hash, which is slow.
    static func spelling(of keyPath: AnyKeyPath) -> UInt { Unretained(keyPath).word }
}

extension ObservationRecord {
    @inline(never)
    func lists(_ key: UInt) -> [ObserverList] { lock.withLock { seldomIfUsed?.keyedLists[key] ?? [] } }

    func add(_ list: ObserverList, at key: UInt) { lock.withLock { seldom.keyedLists[key, default: []].append(list) } }

    /// Returns the first list with a key that matches, or makes one and adds it, with the other keys, too.
    ///
    /// Before that, it offers some of the lists under the key `idle` to `move`, which returns the old and new keys of a list that can be used
    /// instead.
    func list(
        _ key: UInt, _ others: [UInt] = [], where matches: (ObserverList) -> Bool, orMake make: () -> ObserverList,
        orMove move: ((ObserverList) -> [(UInt, UInt)]?)? = nil, among idle: UInt = 0
    ) -> ObserverList {
        var made: ObserverList?
        while true {
            let present = lists(key)
            if let found = present.first(where: matches) { return found }
            if made == nil, let move, let moved = moved(idle, move) { return moved }
            let list = made ?? make()
            made = list
            if add(list, at: [key] + others, ifCount: present.count) { return list }
        }
    }

    /// Offers a few of the lists under a key to a closure, others at each call, and files the first one that the closure takes under new keys.
    ///
    /// If half of the lists are idle, one is found nearly always. So their number stays in proportion to those that are in use.
    @inline(never)
    private func moved(_ key: UInt, _ move: (ObserverList) -> [(UInt, UInt)]?) -> ObserverList? {
        for _ in 0..<Self.offered {
            let list = lock.withLock { () -> ObserverList? in
                guard let seldom = seldomIfUsed, let lists = seldom.keyedLists[key], !lists.isEmpty else { return nil }
                seldom.offers &+= 1
                return lists[Int(seldom.offers % UInt32(lists.count))]
            }
            guard let list else { return nil }
            guard let keys = move(list) else { continue }
            lock.withLock {
                for (old, new) in keys {
                    seldom.keyedLists[old]?.removeAll { $0 === list }
                    if seldom.keyedLists[old]?.isEmpty ?? false { seldom.keyedLists[old] = nil }
                    seldom.keyedLists[new, default: []].append(list)
                }
            }
            return list
        }
        return nil
    }

    private static var offered: Int { 4 }

    /// Adds a list, unless the first of its keys has not as many lists any more as the caller has seen.
    @inline(never)
    private func add(_ list: ObserverList, at keys: [UInt], ifCount count: Int) -> Bool {
        lock.withLock {
            let seldom = seldom
            if seldom.keyedLists[keys[0]]?.count ?? 0 != count { return false }
            if seldom.keyedLists.isEmpty { seldom.keyedLists.reserveCapacity(keys.count) }
            for key in keys { seldom.keyedLists[key, default: []].append(list) }
            return true
        }
    }

    func forEachList(_ body: (ObserverList) -> Void) {
        forEachKey(body)
        entireList.map(body)
        lists(ListKey.pulled).forEach(body)
    }

    @inline(never)
    func forEachKey(_ body: (ObserverList) -> Void) {
        properties.forEach(body)
        lists(ListKey.paths).forEach(body)
    }
}
