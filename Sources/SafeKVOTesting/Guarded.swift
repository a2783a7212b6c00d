internal import Synchronization

/// A value under a lock, for what tests share between threads.
///
/// The thread sanitizer does not see into the lock's slow path, so a byte inside the lock tells it who came after whom.
struct Guarded<Value: Sendable>: ~Copyable, Sendable {
    private let storage: Mutex<Value>
    private let fence = Atomic<UInt8>(0)

    init(_ value: Value) {
        storage = Mutex(value)
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        storage.withLock { value in
            _ = fence.load(ordering: .acquiring)
            defer { fence.store(0, ordering: .releasing) }
            return body(&value)
        }
    }
}
