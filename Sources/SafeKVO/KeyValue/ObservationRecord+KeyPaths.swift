/// Functions that find the list of a key path.
extension ObservationRecord {
    func propertyList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        properties.first { $0.isFirstSpelled(keyPath) } ?? properties.first { $0.isSpelled(keyPath) }
    }

    /// Returns the observer list of a key path or of an equivalent one, or `nil` if there is none.
    ///
    /// A computed or nested key path has a list for each home. `home` chooses among them; `nil` stands for any.
    @inline(never)
    func existingList(spelled keyPath: AnyKeyPath, at home: Home? = nil) -> ObserverList? {
        if let list = properties.list(where: { $0.isSpelled(keyPath) }) { return list }
        // A closure instead of these parameters would be compiled once for each caller.
        @inline(never)
        func find(_ key: UInt) -> ObserverList? {
            lists(key).first { list in list.isSpelled(keyPath) && home.map { list.isAt($0) } ?? true }
        }
        @inline(never)
        func find(_ key: UInt, at home: Home?) -> ObserverList? { find(home.map { ListKey.path(key, at: $0.number) } ?? key) }
        let hasNone = lock.withLock { seldomIfUsed?.keyedLists.isEmpty ?? true }
        let found =
            hasNone
            ? nil
            : home.flatMap { find(ListKey.path(ListKey.spelling(of: keyPath), at: $0.number)) } ?? find(ListKey.hash(of: keyPath), at: home)
                ?? find(ListKey.overriding)
        return found ?? (keyPath.isEntireObject ? entireList : nil)
    }

    /// Returns the same list as `existingList(spelled:at:)`, but makes that of `\.self` if it is missing.
    func list(spelled keyPath: AnyKeyPath, at home: Home? = nil) -> ObserverList? {
        if let list = existingList(spelled: keyPath, at: home) { return list }
        guard keyPath.isEntireObject else { return nil }
        return entireList {
            let isAtomic = type(of: keyPath).rootType is any ValueOfAllThreads.Type
            let list = ObserverList(of: PropertyKey(number: 0, isAtomic: isAtomic, values: AnyObject.self), record: self)
            list.spelling.store(keyPath)
            return list
        }
    }

    /// Returns the list of a computed or nested key path at a home: the one that is there, an idle one of another home, or a new one.
    func list(spelled keyPath: AnyKeyPath, at home: Home, orMake make: () -> ObserverList) -> ObserverList {
        let (hash, spelling) = (ListKey.hash(of: keyPath), ListKey.spelling(of: keyPath))
        return list(
            ListKey.path(hash, at: home.number), [ListKey.path(spelling, at: home.number), hash, ListKey.paths],
            where: { $0.isSpelled(keyPath) && $0.isAt(home) }, orMake: make,
            orMove: { list in
                guard list.isSpelled(keyPath), let former = list.path?.move(to: home), let first = list.spelling.reference else {
                    return nil
                }
                return [hash, first.word].map { (ListKey.path($0, at: former.number), ListKey.path($0, at: home.number)) }
            }, among: hash)
    }

    /// Returns the list of an inherited property while it is unknown whether the object's class overrides the property; otherwise `nil`.
    ///
    /// `list(spelled:)` leaves this list out: if the class overrides the property, observers belong to the overriding property's list.
    func inheritedPropertyList(spelled keyPath: AnyKeyPath) -> ObserverList? {
        properties.list { $0.isUnexamined(keyPath) }
    }

    /// Returns the lists whose key a manual notification of a key path concerns; that of `\.self`, which hears all of them, is left out.
    @inline(never)
    func lists(announcedBy keyPath: AnyKeyPath) -> [Unretained<ObserverList>] {
        var found: [Unretained<ObserverList>] = []
        forEachKey { list in
            if list.isAnnounced(by: keyPath) { found.append(Unretained(list)) }
        }
        return found
    }

    package func pulledList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        lists(ListKey.pulled).first { $0.isAnnounced(by: keyPath) }.map { Unretained($0) }
    }

    func pulledList(spelled keyPath: AnyKeyPath, orMake make: () -> ObserverList) -> ObserverList {
        list(ListKey.pulled, where: { $0.isAnnounced(by: keyPath) }, orMake: make)
    }
}
