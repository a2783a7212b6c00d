/// A table of weak references to controllers, in which diagnostics find them.
///
/// A controller is in the table if it was made while ``ObservationDiagnostics/isRecording`` was `true`.
final class ControllerTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `entries` and `limit`. A strong reference that is loaded under the lock is released
    // after it.

    static let shared = ControllerTable()

    private struct Entry {
        weak var core: ControllerCore?
    }

    private let lock = Lock()
    private var entries: [Entry] = []
    /// The number of entries at which `add` first removes the entries of deallocated controllers.
    private var limit = ControllerTable.fewest
    private static let fewest = 64

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

    func removeAll() {
        var removed: [Entry] = []
        lock.withLock { swap(&entries, &removed) }
    }

    /// The living controllers, in the order in which they were made.
    var cores: [ControllerCore] { lock.withLock { entries.compactMap(\.core) } }
}
