internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// A mutual exclusion lock for a few words of state.
///
/// While the lock is held, no code of the program may run and no object of the program may be released.
///
/// On Linux and Android, the lock is a `pthread_mutex_t`. There, a `Mutex` passes to each waiting thread in turn, so
/// that every short critical section costs a thread switch.
@safe
package struct Lock: ~Copyable, @unchecked Sendable {
    #if canImport(Glibc) || canImport(Musl) || canImport(Android)
        // SAFETY: (of @unchecked Sendable) the cell has a fixed address as long as the lock exists, and only pthread
        // functions access its content. No thread holds the mutex when it is destroyed.
        private let mutex = unsafe _Cell(pthread_mutex_t())

        package init() {}

        deinit { unsafe pthread_mutex_destroy(mutex._address) }

        @inline(__always)
        borrowing func lock() { unsafe pthread_mutex_lock(mutex._address) }

        @inline(__always)
        borrowing func unlock() { unsafe pthread_mutex_unlock(mutex._address) }
    #else
        private let mutex = Mutex(())

        package init() {}

        borrowing func lock() { mutex._unsafeLock() }

        borrowing func unlock() { mutex._unsafeUnlock() }
    #endif

    @inline(__always)
    package borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }
}
