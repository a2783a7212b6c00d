internal import CSafeKVO

/// The value of a property that threads share, under a lock of its own.
///
/// Values are copied and moved under the lock, and released after it; nobody else's code runs inside.
@usableFromInline
final class AtomicCell<Value>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `value` and `versions` belong to `lock`. Whether the value itself may be shared is what the property's
    // wrapper requires where it is used from several isolations.

    private let lock = Lock()
    private var value: Value
    private var versions = AtomicVersions()

    @usableFromInline
    init(_ value: Value) {
        self.value = value
    }

    @usableFromInline
    func load() -> Value {
        lock.withLock { value }
    }

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - newValue: The value.
    ///   - list: The list of the property's observers, if it is known: in the order of the writes, it numbers the changes.
    /// - Returns: the value that it replaced, and the write.
    @usableFromInline
    func exchange(_ newValue: Value, _ list: Unretained<ObserverList>? = nil) -> (old: Value, write: AtomicVersions.Write) {
        var other = newValue
        let write = lock.withLock {
            swap(&value, &other)
            return versions.countWrite(list)
        }
        return (other, write)
    }

    /// The number of the change that a write made, in the list of the property's observers.
    func number(of write: AtomicVersions.Write, in list: Unretained<ObserverList>) -> UInt64 {
        write.number != 0 ? write.number : lock.withLock { versions.number(of: write, in: list) }
    }

    /// Begins an update: the value that is there.
    func beginUpdate() -> Value {
        lock.withLock {
            versions.beginUpdate()
            return value
        }
    }

    /// Ends the innermost update of this thread.
    func endUpdate() -> AtomicVersions.Update {
        lock.withLock { versions.endUpdate() }
    }

    /// Writes a value unless another thread has written since an update began.
    ///
    /// - Parameters:
    ///   - newValue: The value.
    ///   - update: The update.
    ///   - list: See ``exchange(_:_:)``.
    /// - Returns: the value that it replaced, and the write; nil if there was none.
    func replace(
        with newValue: Value, after update: AtomicVersions.Update, _ list: Unretained<ObserverList>?
    ) -> (old: Value, write: AtomicVersions.Write)? {
        var other = newValue
        let write: AtomicVersions.Write? = lock.withLock {
            guard versions.isPresent(update) else { return nil }
            swap(&value, &other)
            return versions.countWrite(list)
        }
        return write.map { (other, $0) }
    }
}

/// How often a property that threads share was written, and which updates of it are under way.
///
/// It belongs to the lock of the property. It is no part of the generic cell, so that it costs no look at types.
@usableFromInline
struct AtomicVersions {
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

    /// A write that was made.
    @usableFromInline
    struct Write {
        /// How many writes there were with it.
        fileprivate let version: UInt64
        /// The number of the change in the list of the property's observers; zero if there was no list yet.
        let number: UInt64
    }

    private var version: UInt64 = 0
    /// The updates that are under way, those of one thread in the order in which they began.
    private var updates: [Update] = []

    /// Begins an update of this thread.
    mutating func beginUpdate() {
        updates.append(Update(thread: safekvo_thread(), version: version))
    }

    /// Ends the innermost update of this thread.
    mutating func endUpdate() -> Update {
        let thread = safekvo_thread()
        guard let index = updates.lastIndex(where: { $0.thread == thread }) else { return Update(thread: thread, version: version) }
        var update = updates.remove(at: index)
        update.isOvertaken = !isPresent(update)
        return update
    }

    /// Whether no other thread has written since an update began.
    func isPresent(_ update: Update) -> Bool { update.version == version }

    /// Counts a write of this thread, and numbers the change.
    mutating func countWrite(_ list: Unretained<ObserverList>?) -> Write {
        if !updates.isEmpty { noteOverwriting() }
        version &+= 1
        // SAFETY: the caller holds the list.
        return Write(version: version, number: unsafe list?.with { $0.numberChange() } ?? 0)
    }

    /// The number of the change that a write made, in a list that was found after it.
    func number(of write: Write, in list: Unretained<ObserverList>) -> UInt64 {
        // SAFETY: as above.
        write.version == version ? unsafe list.with { $0.numberChange() } : ObserverList.numberOfOvertaken
    }

    private mutating func noteOverwriting() {
        let thread = safekvo_thread()
        for index in updates.indices where updates[index].thread == thread {
            updates[index].isOverwriting = true
            if isPresent(updates[index]) { updates[index].version &+= 1 }
        }
    }
}
