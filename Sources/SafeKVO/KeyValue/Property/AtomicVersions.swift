internal import CSafeKVO

/// How often a property that threads share was written, and which updates of it are under way.
///
/// It belongs to the lock of the property. It is no part of the generic cell, so that it costs no look at types.
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

    /// Counts a write of this thread.
    mutating func countWrite() {
        if !updates.isEmpty { noteOverwriting() }
        version &+= 1
    }

    private mutating func noteOverwriting() {
        let thread = safekvo_thread()
        for index in updates.indices where updates[index].thread == thread {
            updates[index].isOverwriting = true
            if isPresent(updates[index]) { updates[index].version &+= 1 }
        }
    }
}
