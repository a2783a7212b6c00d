internal import CSafeKVO

/// The part of an ``AtomicCell`` that is not generic, so that its functions need no type metadata: a lock, the number of writes, and the
/// updates in progress.
@usableFromInline
class AtomicCellBase: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the state is accessed only under `lock`.
    private let lock = Lock()
    private var version: UInt64 = 0
    private var updates: [Update] = []

    /// An update in progress: a thread computes a new value from a copy of the present one.
    struct Update {
        fileprivate let thread: UInt
        fileprivate var version: UInt64
        fileprivate(set) var isOverwriting = false
        /// `true` if another thread wrote the property during the update, which must then be repeated.
        fileprivate(set) var isOvertaken = false
    }

    @usableFromInline
    struct Write {
        fileprivate let version: UInt64
        /// The serial number of the change; zero if no observers were found before the write.
        fileprivate let number: UInt64
    }

    @usableFromInline
    init() {}

    /// Locks the cell until ``release()``; until then, the caller must not run user code.
    @usableFromInline
    final func acquire() { lock.lock() }

    @usableFromInline
    final func release() { lock.unlock() }

    // MARK: With the lock

    /// Counts a write, and assigns a serial number from `list` to the change.
    @usableFromInline
    final func countWrite(_ list: Unretained<ObserverList>?) -> Write {
        if !updates.isEmpty { noteOverwriting() }
        version &+= 1
        // SAFETY: the caller keeps the list alive during the call.
        return Write(version: version, number: unsafe list?.with { $0.numberChange() } ?? 0)
    }

    private final func noteOverwriting() {
        let thread = safekvo_thread()
        for index in updates.indices where updates[index].thread == thread {
            updates[index].isOverwriting = true
            if isPresent(updates[index]) { updates[index].version &+= 1 }
        }
    }

    final func beginUpdate() { updates.append(Update(thread: safekvo_thread(), version: version)) }

    /// Returns `true` if no other thread has written the value since the update began.
    final func isPresent(_ update: Update) -> Bool { update.version == version }

    // MARK: Without the lock

    final func endUpdate() -> Update {
        lock.withLock {
            let thread = safekvo_thread()
            let index = updates.lastIndex { $0.thread == thread }
            var update = index.map { updates.remove(at: $0) } ?? Update(thread: thread, version: version)
            update.isOvertaken = !isPresent(update)
            return update
        }
    }

    /// Returns the serial number of a write.
    ///
    /// A write has none yet if no observers were found before it. For example, the first observer registered during the write. If the
    /// property has been written again since then, the result is smaller than all other numbers. So observers are marked, and read the newest
    /// value.
    @usableFromInline
    final func number(of write: Write, in list: Unretained<ObserverList>) -> UInt64 {
        SchedulePoint.pass(.afterNumber)
        if write.number != 0 { return write.number }
        // SAFETY: the caller keeps the list alive during the call.
        return unsafe list.with { list in
            let number = lock.withLock { write.version == version ? list.numberChange() : 1 }
            list.markUnlessNewest(number)
            return number
        }
    }
}

/// The storage of one `@AtomicObserved` property: a value and the lock that guards it.
///
/// A replaced value is released after the unlock, because its `deinit` may run user code.
@usableFromInline
final class AtomicCell<Value: Sendable>: AtomicCellBase, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable, and of the unchecked exclusivity) only `withValue` accesses the value, and holds the lock meanwhile.
    @exclusivity(unchecked) @usableFromInline var value: Value

    @usableFromInline
    init(_ value: Value) {
        unsafe self.value = value
    }

    /// Calls a closure with the value, under the lock; the closure must run no user code.
    @_alwaysEmitIntoClient @inline(__always)
    func withValue<Result>(_ body: (inout Value) -> Result) -> Result {
        acquire()
        defer { release() }
        return unsafe body(&value)
    }

    @_alwaysEmitIntoClient
    func load() -> Value { withValue { $0 } }

    @_alwaysEmitIntoClient
    func exchange(_ newValue: Value, _ list: Unretained<ObserverList>? = nil) -> (old: Value, write: AtomicCellBase.Write) {
        var other = newValue
        let write = withValue { value in
            swap(&value, &other)
            return countWrite(list)
        }
        return (other, write)
    }

    func beginUpdatingValue() -> Value {
        withValue { value in
            beginUpdate()
            return value
        }
    }

    /// Writes a value and returns the replaced one; returns nil if another thread has written since `update` began.
    func replace(
        with newValue: Value, after update: AtomicCellBase.Update, _ list: Unretained<ObserverList>?
    ) -> (old: Value, write: AtomicCellBase.Write)? {
        var other = newValue
        let write = withValue { value -> AtomicCellBase.Write? in
            guard isPresent(update) else { return nil }
            swap(&value, &other)
            return countWrite(list)
        }
        return write.map { (other, $0) }
    }
}
