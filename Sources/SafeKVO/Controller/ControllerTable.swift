/// Weak references to the controllers that were made while ``ObservationDiagnostics/isRecording`` was `true`.
final class ControllerTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `entries` and `limit`.

    static let shared = ControllerTable()

    private struct Entry {
        weak var core: ControllerCore?
    }

    private let lock = Lock()
    private var entries: [Entry] = []
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

    var cores: [ControllerCore] { lock.withLock { entries.compactMap(\.core) } }
}
