internal import Synchronization

/// The counters of controllers that have ended.
struct BrokerTotals: ~Copyable, Sendable {
    let delivered = Atomic<UInt64>(0)
    let dropped = Atomic<UInt64>(0)
    let wrongIsolation = Atomic<UInt64>(0)
    let overtaken = Atomic<UInt64>(0)
    let ignoredAdds = Atomic<UInt64>(0)
    let ignoredRemoves = Atomic<UInt64>(0)
}
