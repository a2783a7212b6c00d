/// Functions that find the list of a key path.
extension ObservationRecord {
    func propertyList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        properties.first { $0.isFirstSpelled(keyPath) } ?? properties.first { $0.isSpelled(keyPath) }
    }

    /// Returns the observer list of a key path or of an equivalent one, or `nil` if there is none.
    ///
    /// A computed or nested key path has a list for each home. `home` chooses among them, or `controller`, which observes the list with `tag`.
    @inline(never)
    func existingList(
        spelled keyPath: AnyKeyPath, at home: Home? = nil, observedBy controller: ControllerCore? = nil, _ tag: ObservationTag? = nil
    ) -> ObserverList? {
        if let list = properties.list(where: { $0.isSpelled(keyPath) }) { return list }
        // A closure instead of these parameters would be compiled once for each caller.
        @inline(never)
        func find(_ key: UInt) -> ObserverList? {
            for list in lists(key) where list.isSpelled(keyPath) {
                if home.map({ list.isAt($0) }) ?? controller.map({ $0.observes(list, tag) }) ?? true { return list }
            }
            return nil
        }
        let hasNone = lock.withLock { seldomIfUsed?.keyedLists.isEmpty ?? true }
        let found = hasNone ? nil : find(ListKey.spelling(of: keyPath)) ?? find(ListKey.hash(of: keyPath)) ?? find(ListKey.overriding)
        return found ?? (keyPath.isEntireObject ? entireList : nil)
    }

    /// Returns the same list as `existingList(spelled:at:)`, but makes that of `\.self` if it is missing.
    func list(spelled keyPath: AnyKeyPath, at home: Home? = nil) -> ObserverList? {
        existingList(spelled: keyPath, at: home)
            ?? (keyPath.isEntireObject ? entireList { ObserverList(record: self, events: AnyObject.self, keyPath: keyPath) } : nil)
    }

    func list(spelled keyPath: AnyKeyPath, at home: Home, orMake make: () -> ObserverList) -> ObserverList {
        list(
            ListKey.hash(of: keyPath), [ListKey.spelling(of: keyPath), ListKey.paths],
            where: { $0.isSpelled(keyPath) && $0.isAt(home) }, orMake: make)
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
