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

    /// Writes a value and returns the one that it replaced.
    @usableFromInline
    func exchange(_ newValue: Value) -> Value {
        var other = newValue
        lock.withLock {
            swap(&value, &other)
            versions.countWrite()
        }
        return other
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
    /// - Returns: the value that it replaced; nil if none.
    func replace(with newValue: Value, after update: AtomicVersions.Update) -> Value? {
        var other = newValue
        let isReplaced = lock.withLock {
            guard versions.isPresent(update) else { return false }
            swap(&value, &other)
            versions.countWrite()
            return true
        }
        return isReplaced ? .some(other) : nil
    }
}
