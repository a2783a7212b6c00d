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
