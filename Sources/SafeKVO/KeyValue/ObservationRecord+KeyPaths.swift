/// Functions that find the list of a key path.
extension ObservationRecord {
    func propertyList(spelled keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        properties.first { $0.isFirstSpelled(keyPath) } ?? properties.first { $0.isSpelled(keyPath) }
    }

    /// Returns the observer list of a key path or of an equivalent one, or `nil` if there is none.
    ///
    /// A computed or nested key path has a list for each home. `isMeant` chooses among them.
    func existingList(spelled keyPath: AnyKeyPath, where isMeant: (ObserverList) -> Bool = { _ in true }) -> ObserverList? {
        let hasNone = lock.withLock { keyedLists.isEmpty }
        func find(_ key: @autoclosure () -> UInt) -> ObserverList? {
            hasNone ? nil : lists(key()).first { $0.isSpelled(keyPath) && isMeant($0) }
        }
        return properties.list { $0.isSpelled(keyPath) } ?? find(ListKey.spelling(of: keyPath)) ?? find(ListKey.hash(of: keyPath))
            ?? find(ListKey.overriding) ?? (keyPath.isEntireObject ? entireList : nil)
    }

    /// Returns the same list as `existingList(spelled:where:)`, but makes that of `\.self` if it is missing.
    func list(spelled keyPath: AnyKeyPath, where isMeant: (ObserverList) -> Bool = { _ in true }) -> ObserverList? {
        existingList(spelled: keyPath, where: isMeant)
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
