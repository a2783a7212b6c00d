internal import CSafeKVO

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
