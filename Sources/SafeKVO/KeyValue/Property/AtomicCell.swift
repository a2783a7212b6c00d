/// The value of a property that threads share, under a lock of its own.
///
/// Values are copied and moved under the lock, and released after it; nobody else's code runs inside.
@usableFromInline
final class AtomicCell<Value>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `value` and `version` belong to `lock`. Whether the value itself may be shared is what the property's
    // wrapper requires where it is used from several isolations.

    private let lock = Lock()
    private var value: Value
    private var version: UInt64 = 0

    @usableFromInline
    init(_ value: Value) {
        self.value = value
    }

    /// What identifies the property among those of its object.
    ///
    /// Offsets of stored properties are far smaller than any address.
    @usableFromInline
    var identity: UInt { Unretained(self).word }

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
            version &+= 1
        }
        return other
    }

    /// The value and the number of writes so far.
    func versioned() -> (value: Value, version: UInt64) {
        lock.withLock { (value, version) }
    }

    /// Writes a value unless another thread has written since.
    func replace(with newValue: Value, ifStill expected: UInt64) -> Value? {
        var other = newValue
        let isReplaced = lock.withLock {
            guard version == expected else { return false }
            swap(&value, &other)
            version &+= 1
            return true
        }
        return isReplaced ? .some(other) : nil
    }
}
