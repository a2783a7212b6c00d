internal import Synchronization

/// Mutual exclusion for the few words that a record or a controller keeps, and for nothing else: no user code runs and no user
/// object is released inside.
struct Lock: ~Copyable, Sendable {
    private let mutex = Mutex(())

    /// ThreadSanitizer does not see the edge that a contended `Mutex` makes, and reports correct programs.
    ///
    /// Touching this byte at both ends of the section shows it the same edge; it orders nothing that the mutex does not order already.
    private let edge = Atomic<UInt8>(0)

    @inline(__always)
    borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        var result: Result?
        mutex.withLock { _ in
            _ = edge.load(ordering: .acquiring)
            result = body()
            edge.store(0, ordering: .releasing)
        }
        // SAFETY: the section ran.
        return unsafe result.unsafelyUnwrapped
    }
}
