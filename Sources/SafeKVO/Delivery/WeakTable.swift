/// Weak references to objects, each under its own identity or under that of another object to which it belongs.
///
/// The table is not generic, because a dictionary and an array of each type of object would be compiled apart.
package final class WeakTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the variables. Objects are released without the lock.

    private struct Entry {
        weak var object: AnyObject?
        let key: ObjectIdentifier
    }

    private static var fewest: Int { 64 }
    private let lock = Lock()
    /// The entries in the order in which they were added; one that was replaced has no object.
    private var entries: [Entry] = []
    private var positions: [ObjectIdentifier: Int] = [:]
    private var limit = WeakTable.fewest

    package init() {}

    /// The objects that are not deallocated, in the order in which they were added.
    package var objects: [AnyObject] { lock.withLock { living } }

    /// The caller holds the lock, and must keep the result until it has released the lock.
    private var living: [AnyObject] {
        var living: [AnyObject] = []
        for entry in entries { if let object = entry.object { living.append(object) } }
        return living
    }

    package func object(at key: ObjectIdentifier) -> AnyObject? { lock.withLock { positions[key].flatMap { entries[$0].object } } }

    package func add(_ object: AnyObject) { _ = self.object(at: ObjectIdentifier(object), where: { _ in true }, orMake: { object }) }

    /// Returns the object under an identity if it is the one that is meant; otherwise adds the one that `make` returns in its place.
    ///
    /// No lock is held during the calls of the closures.
    func object(at key: ObjectIdentifier, where isMeant: (AnyObject) -> Bool, orMake make: () -> AnyObject) -> AnyObject {
        var (made, other): (AnyObject?, AnyObject?)
        while true {
            let found = object(at: key, besides: other, or: made)
            if let found, found === made || isMeant(found) { return found }
            (other, made) = (found, made ?? make())
        }
    }

    /// Returns the object under an identity, unless it is `other`; otherwise adds `made` in its place and returns it.
    @inline(never)
    private func object(at key: ObjectIdentifier, besides other: AnyObject?, or made: AnyObject?) -> AnyObject? {
        // Keeps the objects until the lock is released.
        var kept: [AnyObject] = []
        defer { withExtendedLifetime(kept) {} }
        return lock.withLock {
            let position = positions[key]
            if let present = position.flatMap({ entries[$0].object }), present !== other { return present }
            guard let made else { return nil }
            if let position { entries[position].object = nil }
            if entries.count >= limit {
                kept = living
                removeDead()
            }
            positions[key] = entries.count
            entries.append(Entry(object: made, key: key))
            return made
        }
    }

    /// Removes the entries without an object; the caller keeps the other objects.
    private func removeDead() {
        let all = entries
        (entries, positions) = ([], [:])
        for entry in all where entry.object != nil {
            positions[entry.key] = entries.count
            entries.append(entry)
        }
        limit = max(Self.fewest, entries.count * 2)
    }

    package func removeAll() {
        var removed: [Entry] = []
        lock.withLock {
            swap(&entries, &removed)
            positions = [:]
        }
    }
}
