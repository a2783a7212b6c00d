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

    /// Returns the observer list of `keyPath`, created if missing; nil if the key path belongs to another class.
    static func list(of keyPath: AnyKeyPath, _ object: AnyObject, in record: ObservationRecord) -> ObserverList? {
        if let known = record.list(spelled: keyPath) ?? record.inheritedPropertyList(spelled: keyPath) { return known }
        func open<Root: KeyValueObservable>(_ root: Root.Type) -> ObserverList? {
            guard let object = object as? Root else { return nil }
            func open<Value>(_ value: Value.Type) -> ObserverList? {
                (keyPath as? KeyPath<Root, Value>).map { TrackedPath.path(of: object, $0, PathSteps($0), at: .everywhere, in: record).list }
            }
            return _openExistential(Swift.type(of: keyPath).valueType, do: open)
        }
        guard let rootType = Swift.type(of: keyPath).rootType as? any KeyValueObservable.Type else { return nil }
        return open(rootType)
    }
}
