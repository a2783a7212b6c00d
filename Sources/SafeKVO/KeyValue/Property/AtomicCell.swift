internal import CSafeKVO

/// The value of a property that threads share, under a lock of its own.
///
/// Values are copied and moved under the lock, and released after it; nobody else's code runs inside.
@usableFromInline
final class AtomicCell<Value>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) what changes belongs to `lock`. Whether the value itself may be shared is what the property's wrapper
    // requires where it is used from several isolations.

    /// A new value that a thread is working out from the present one.
    struct Update {
        fileprivate let thread: UInt
        /// How many writes there were when it began, and the thread's own since; those of other threads do not count.
        fileprivate var version: UInt64
        /// Whether the thread itself has written the value meanwhile.
        fileprivate(set) var isOverwriting = false
        /// Whether another thread has, so that it must be begun again.
        fileprivate(set) var isOvertaken = false
    }

    private let lock = Lock()
    private var value: Value
    private var version: UInt64 = 0
    /// The updates that are under way, those of one thread in the order in which they began.
    private var updates: [Update] = []

    @usableFromInline
    init(_ value: Value) {
        self.value = value
    }

    @usableFromInline
    func load() -> Value {
        lock.withLock { value }
    }

    /// Writes a value and returns the one that it replaced.
    @usableFromInline
    func exchange(_ newValue: Value) -> Value {
        var other = newValue
        lock.withLock {
            swap(&value, &other)
            countWrite()
        }
        return other
    }

    /// Begins an update: the value that is there.
    func beginUpdate() -> Value {
        let thread = safekvo_thread()
        return lock.withLock {
            updates.append(Update(thread: thread, version: version))
            return value
        }
    }

    /// Ends the innermost update of this thread.
    func endUpdate() -> Update {
        let thread = safekvo_thread()
        return lock.withLock {
            guard let index = updates.lastIndex(where: { $0.thread == thread }) else { return Update(thread: thread, version: version) }
            var update = updates.remove(at: index)
            update.isOvertaken = update.version != version
            return update
        }
    }

    /// Writes a value unless another thread has written since an update began.
    ///
    /// - Returns: the value that it replaced; nil if none.
    func replace(with newValue: Value, after update: Update) -> Value? {
        var other = newValue
        let isReplaced = lock.withLock {
            guard version == update.version else { return false }
            swap(&value, &other)
            countWrite()
            return true
        }
        return isReplaced ? .some(other) : nil
    }

    /// Counts a write of this thread, under the lock.
    private func countWrite() {
        if !updates.isEmpty {
            let thread = safekvo_thread()
            for index in updates.indices where updates[index].thread == thread {
                updates[index].isOverwriting = true
                if updates[index].version == version { updates[index].version += 1 }
            }
        }
        version &+= 1
    }
}
