internal import Synchronization

/// A value with a lock, for tests with several threads.
///
/// The thread sanitizer does not notice that a contended `Mutex` orders accesses. It notices the order of the atomic `fence`.
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
