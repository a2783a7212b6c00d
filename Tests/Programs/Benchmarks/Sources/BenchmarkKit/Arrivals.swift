import Synchronization

/// How many changes have arrived on another thread or task.
public final class Arrivals: Sendable {
    private let count = Atomic<Int>(0)

    /// Starts at none.
    public init() {}

    /// One more.
    public func note() { count.wrappingAdd(1, ordering: .releasing) }

    /// So many in all.
    public func note(_ total: Int) { count.store(total, ordering: .releasing) }

    /// How many there are.
    public var current: Int { count.load(ordering: .acquiring) }

    /// Waits, and starts again at none.
    public func wait(for passes: Int) {
        while current < passes {}
        count.store(0, ordering: .relaxed)
    }
}
