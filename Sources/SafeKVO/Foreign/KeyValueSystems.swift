/// The systems that objects were ever observed in, so that diagnostics can ask each of them: one, outside tests.
final class KeyValueSystems: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `entries` belongs to `lock`. What is loaded inside is let go of outside.

    static let shared = KeyValueSystems()

    private struct Entry {
        weak var system: (any KeyValueSystem)?
    }

    private let lock = Lock()
    private var entries: [Entry] = []

    /// Adds a system, unless it is there.
    func add(_ system: any KeyValueSystem) {
        var present: [any KeyValueSystem] = []
        lock.withLock {
            present = entries.compactMap(\.system)
            if present.contains(where: { $0 === system }) { return }
            entries = (present + [system]).map { Entry(system: $0) }
        }
        withExtendedLifetime(present) {}
    }

    /// All that are left.
    var all: [any KeyValueSystem] { lock.withLock { entries.compactMap(\.system) } }
}
