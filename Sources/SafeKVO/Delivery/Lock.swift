internal import CSafeKVO
internal import Synchronization

/// A mutual exclusion lock that protects a few words of state.
///
/// While a thread holds the lock, it must not run code of the program or release an object of the program.
///
/// On Linux and Android, `Mutex` would be slower: it passes to each waiting thread in turn, at the cost of a thread switch. Here a running
/// thread may take the lock before one that was woken. The lock of pthread would be ten times as large.
@safe
@usableFromInline
package struct Lock: ~Copyable, Sendable {
    #if (os(Linux) || os(Android)) && !SAFEKVO_MUTEX
        private static let free: UInt32 = 0
        private static let held: UInt32 = 1
        /// The lock is held, and other threads may be waiting for it.
        private static let awaited: UInt32 = 2

        private let word = Atomic<UInt32>(0)

        package init() {}

        // Not inlined, because there are many callers.
        @usableFromInline
        @inline(never)
        borrowing func lock() {
            if !word.compareExchange(expected: Self.free, desired: Self.held, ordering: .acquiring).exchanged { wait() }
        }

        @usableFromInline
        @inline(never)
        borrowing func unlock() {
            if word.exchange(Self.free, ordering: .releasing) == Self.awaited { wake() }
        }

        /// Takes the lock as one for which others may wait, because this thread cannot know whether there are any.
        @inline(never)
        private borrowing func wait() {
            while word.exchange(Self.awaited, ordering: .acquiring) != Self.free {
                unsafe withUnsafePointer(to: word) { unsafe safekvo_wait($0, Self.awaited) }
            }
        }

        // SAFETY: (of the address here and above) the system compares the word with a value, or looks for threads that wait at the address.
        // After `unlock()` has emptied the word, another thread may free the memory. Then nobody waits at the address, or threads do for
        // another lock, which look at their word again.
        @inline(never)
        private borrowing func wake() { unsafe withUnsafePointer(to: word) { unsafe safekvo_wake($0) } }
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
