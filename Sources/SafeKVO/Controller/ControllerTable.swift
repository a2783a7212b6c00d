/// The controllers that were made while that was recorded, weakly.
final class ControllerTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `entries` and `limit` belong to `lock`. What is loaded inside is let go of outside.

    static let shared = ControllerTable()

    private struct Entry {
        weak var core: ControllerCore?
    }

    private let lock = Lock()
    private var entries: [Entry] = []
    /// How many there may be before they are looked through for those that are gone.
    private var limit = ControllerTable.fewest
    private static let fewest = 64

    /// Remembers a controller that is being made.
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

    /// Forgets all.
    func removeAll() {
        var removed: [Entry] = []
        lock.withLock { swap(&entries, &removed) }
    }

    /// Those that are left, in the order in which they were made.
    var cores: [ControllerCore] { lock.withLock { entries.compactMap(\.core) } }
}
