internal import CSafeKVO

/// The part of an ``AtomicCell`` that is not generic, so that its functions need no type metadata.
@usableFromInline
class AtomicCellBase: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `versions` is accessed only under `lock`.
    private let lock = Lock()
    private var versions = AtomicVersions()

    @usableFromInline
    init() {}

    /// Locks the cell until ``release()``; until then, the caller must not run user code.
    @usableFromInline
    final func acquire() { lock.lock() }

    @usableFromInline
    final func release() { lock.unlock() }

    /// Counts a write, and assigns a serial number from `list` to the change; the caller holds the lock.
    @usableFromInline
    final func countWrite(_ list: Unretained<ObserverList>?) -> AtomicVersions.Write { versions.countWrite(list) }

    @usableFromInline
    final func number(of write: AtomicVersions.Write, in list: Unretained<ObserverList>) -> UInt64 {
        if write.number != 0 { return write.number }
        // SAFETY: the caller keeps the list alive during the call.
        return unsafe list.with { list in
            let number = lock.withLock { versions.number(of: write, in: list) }
            list.markUnlessNewest(number)
            return number
        }
    }

    final func beginUpdate() { versions.beginUpdate() }

    final func endUpdate() -> AtomicVersions.Update {
        lock.withLock { versions.endUpdate() }
    }

    /// Returns `true` if no other thread has written the value since the update began; the caller holds the lock.
    final func isPresent(_ update: AtomicVersions.Update) -> Bool { versions.isPresent(update) }
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
    @inlinable @inline(__always)
    func withValue<Result>(_ body: (inout Value) -> Result) -> Result {
        acquire()
        defer { release() }
        return unsafe body(&value)
    }

    @inlinable
    func load() -> Value { withValue { $0 } }

    @inlinable
    func exchange(_ newValue: Value, _ list: Unretained<ObserverList>? = nil) -> (old: Value, write: AtomicVersions.Write) {
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
        with newValue: Value, after update: AtomicVersions.Update, _ list: Unretained<ObserverList>?
    ) -> (old: Value, write: AtomicVersions.Write)? {
        var other = newValue
        let write = withValue { value -> AtomicVersions.Write? in
            guard isPresent(update) else { return nil }
            swap(&value, &other)
            return countWrite(list)
        }
        return write.map { (other, $0) }
    }
}

/// The number of writes to an `@AtomicObserved` property, and its updates in progress, guarded by the lock of the ``AtomicCell``.
@usableFromInline
struct AtomicVersions {
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
        @usableFromInline let number: UInt64
    }

    private var version: UInt64 = 0
    private var updates: [Update] = []

    mutating func beginUpdate() {
        updates.append(Update(thread: safekvo_thread(), version: version))
    }

    mutating func endUpdate() -> Update {
        let thread = safekvo_thread()
        guard let index = updates.lastIndex(where: { $0.thread == thread }) else { return Update(thread: thread, version: version) }
        var update = updates.remove(at: index)
        update.isOvertaken = !isPresent(update)
        return update
    }

    func isPresent(_ update: Update) -> Bool { update.version == version }

    mutating func countWrite(_ list: Unretained<ObserverList>?) -> Write {
        if !updates.isEmpty { noteOverwriting() }
        version &+= 1
        // SAFETY: the caller keeps the list alive during the call.
        return Write(version: version, number: unsafe list?.with { $0.numberChange() } ?? 0)
    }

    /// Assigns a serial number to a write that had none, because no observers were found before the write.
    ///
    /// For example, the first observer registered during the write. If the property has been written again since then, the result is
    /// smaller than all other numbers. The caller then leaves marks, so that observers read the newest value.
    func number(of write: Write, in list: ObserverList) -> UInt64 {
        write.version == version ? list.numberChange() : 1
    }

    private mutating func noteOverwriting() {
        let thread = safekvo_thread()
        for index in updates.indices where updates[index].thread == thread {
            updates[index].isOverwriting = true
            if isPresent(updates[index]) { updates[index].version &+= 1 }
        }
    }
}
