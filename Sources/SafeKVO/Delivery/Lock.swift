internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// A mutual exclusion lock that protects a few words of state.
///
/// While a thread holds the lock, it must not run code of the program or release an object of the program.
///
/// On Linux and Android, `Mutex` would be slower: it passes to each waiting thread in turn, at the cost of a thread switch.
@safe
@usableFromInline
package struct Lock: ~Copyable, @unchecked Sendable {
    #if (canImport(Glibc) || canImport(Musl) || canImport(Android)) && !SAFEKVO_MUTEX
        // SAFETY: (of @unchecked Sendable) the cell has a fixed address as long as the lock exists, and only pthread
        // functions access its content. No thread holds the mutex when it is destroyed.
        private let mutex = unsafe _Cell(pthread_mutex_t())

        package init() {}

        deinit { unsafe pthread_mutex_destroy(mutex._address) }

        @usableFromInline
        @inline(__always)
        borrowing func lock() { unsafe pthread_mutex_lock(mutex._address) }

        @usableFromInline
        @inline(__always)
        borrowing func unlock() { unsafe pthread_mutex_unlock(mutex._address) }
    #else
        private let mutex = Mutex(())

        package init() {}

        @usableFromInline
        borrowing func lock() { mutex._unsafeLock() }

        @usableFromInline
        borrowing func unlock() { mutex._unsafeUnlock() }
    #endif

    @_alwaysEmitIntoClient
    @inline(__always)
    package borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }
}
