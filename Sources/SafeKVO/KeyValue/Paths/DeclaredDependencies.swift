/// Finds the dependencies that a class declares in `keyPathsForValuesAffectingValue(for:)`.
enum DeclaredDependencies {
    /// Returns the key paths that the class declares as dependencies of `keyPath`, directly or indirectly.
    static func keyPaths<Root: KeyValueObservable>(of root: Root, _ keyPath: AnyKeyPath) -> [AnyKeyPath] {
        let type = Swift.type(of: root)
        var found: [AnyKeyPath] = []
        var open: [AnyKeyPath] = [keyPath]
        while let next = open.popLast() {
            for declared in type.keyPathsForValuesAffectingValue(for: ObservedKeyPath(next)) {
                if declared.isSpelling(of: keyPath) || found.contains(where: { $0.isSpelling(of: declared) }) { continue }
                found.append(declared)
                open.append(declared)
            }
        }
        return found
    }

    /// Returns the list of a key, created if missing, for key paths that depend on the key; nil if the key path belongs to another class.
    ///
    /// For a key that is no stored property, this is its announcement list, which has no observers. Key paths of all homes are linked to it before
    /// they read the key.
    static func list(of keyPath: AnyKeyPath, _ object: AnyObject, in record: ObservationRecord) -> ObserverList? {
        if let known = record.properties.list(where: { $0.isAnnounced(by: keyPath) }) { return known }
        if keyPath.isEntireObject { return record.list(spelled: keyPath) }
        func isOwn<Root>(_ root: Root.Type) -> Bool { object is Root }
        guard let root = type(of: keyPath).rootType as? any KeyValueObservable.Type, _openExistential(root, do: isOwn) else { return nil }
        let isMeant = { (list: ObserverList) in list.hook == nil && list.isAnnounced(by: keyPath) }
        let spelling = ListKey.announcement(of: keyPath)
        return record.lists(spelling).first(where: isMeant)
            ?? record.list(
                ListKey.paths, [spelling], where: isMeant,
                orMake: { ObserverList(record: record, events: type(of: keyPath).valueType, keyPath: keyPath) })
    }
}

extension ListKey {
    /// The key of the announcement list whose first key path is this very object.
    fileprivate static func announcement(of keyPath: AnyKeyPath) -> UInt { spelling(of: keyPath) | 1 }
}
