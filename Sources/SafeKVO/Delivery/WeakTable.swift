/// Weak references to objects, each under its own identity or under that of another object to which it belongs.
package final class WeakTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the variables. Objects are released without the lock.

    private struct Entry {
        weak var object: AnyObject?
        let number: Int
    }

    private static let fewest = 64
    private let lock = Lock()
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var limit = WeakTable.fewest
    private var newest = 0

    package init() {}

    /// The objects that are not deallocated, in the order in which they were added.
    package var objects: [AnyObject] {
        lock.withLock { entries.values.sorted { $0.number < $1.number }.compactMap(\.object) }
    }

    package func object(at key: ObjectIdentifier) -> AnyObject? { lock.withLock { entries[key]?.object } }

    package func add(_ object: AnyObject) { _ = self.object(at: ObjectIdentifier(object), orMake: { object }) }

    /// Returns the object under an identity if it is the one that is meant; otherwise adds the one that `make` returns in its place.
    ///
    /// No lock is held during the calls of the closures.
    func object(at key: ObjectIdentifier, where isMeant: (AnyObject) -> Bool = { _ in true }, orMake make: () -> AnyObject) -> AnyObject {
        var (made, other): (AnyObject?, AnyObject?)
        while true {
            // Keeps the objects until the lock is released.
            var living: [AnyObject] = []
            let found = lock.withLock { () -> AnyObject? in
                if let present = entries[key]?.object, present !== other { return present }
                guard let made else { return nil }
                if entries.count >= limit {
                    living = entries.values.compactMap(\.object)
                    entries = entries.filter { $0.value.object != nil }
                    limit = max(Self.fewest, entries.count * 2)
                }
                newest += 1
                entries[key] = Entry(object: made, number: newest)
                return made
            }
            withExtendedLifetime(living) {}
            if let found, found === made || isMeant(found) { return found }
            (other, made) = (found, made ?? make())
        }
    }

    package func removeAll() {
        var removed: [ObjectIdentifier: Entry] = [:]
        lock.withLock { swap(&entries, &removed) }
    }
}
