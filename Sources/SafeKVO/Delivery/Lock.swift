internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// Mutual exclusion for the few words that a record or a controller keeps, and for nothing else: no user code runs and no user
/// object is released inside.
///
/// On Linux it is a lock of the thread library. `Mutex` hands itself to each waiting thread in turn there, so that each short section of a
/// lock that several threads want costs a switch between threads. Elsewhere `Mutex` is a lock of the system that does not.
@safe
package struct Lock: ~Copyable, @unchecked Sendable {
    #if canImport(Glibc) || canImport(Musl) || canImport(Android)
        // SAFETY: (of @unchecked Sendable, and of the address) the cell stays where it is as long as the lock, and only the thread library
        // touches what is in it. It is initialised as that says, and no thread holds it when it goes.
        private let mutex = unsafe _Cell(pthread_mutex_t())

        package init() {}

        deinit { unsafe pthread_mutex_destroy(mutex._address) }

        @inline(__always)
        package borrowing func withLock<Result>(_ body: () -> Result) -> Result {
            unsafe pthread_mutex_lock(mutex._address)
            defer { unsafe pthread_mutex_unlock(mutex._address) }
            return body()
        }
    #else
        private let mutex = Mutex(())

        package init() {}

        @inline(__always)
        package borrowing func withLock<Result>(_ body: () -> Result) -> Result {
            var result: Result?
            mutex.withLock { _ in result = body() }
            // SAFETY: the section ran.
            return unsafe result.unsafelyUnwrapped
        }
    #endif
}
