/// A table of weak references to the controllers that were made while recording was on.
///
/// Diagnostics use it to find the controllers of the process.
final class ControllerTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `entries` and `limit` are guarded by `lock`. Controllers that are loaded under the lock are released
    // after it.

    static let shared = ControllerTable()

    private struct Entry {
        weak var core: ControllerCore?
    }

    private let lock = Lock()
    private var entries: [Entry] = []
    /// The number of entries from which the next addition first removes the entries of deallocated controllers.
    private var limit = ControllerTable.fewest
    private static let fewest = 64

    /// Adds a controller that is being made.
    func add(_ core: ControllerCore) {
        var living: [ControllerCore] = []
        lock.withLock {
            if entries.count >= limit {
                living = entries.compactMap(\.core)
                entries = living.map { Entry(core: $0) }
                limit = max(Self.fewest, entries.count * 2)
            }
            entries.append(Entry(core: core))
        }
        withExtendedLifetime(living) {}
    }

    /// Removes all entries.
    func removeAll() {
        var removed: [Entry] = []
        lock.withLock { swap(&entries, &removed) }
    }

    /// The controllers that are not deallocated, in the order in which they were made.
    var cores: [ControllerCore] { lock.withLock { entries.compactMap(\.core) } }
}
