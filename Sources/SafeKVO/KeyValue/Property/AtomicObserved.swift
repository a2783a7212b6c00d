public import CSafeKVO

/// Makes a property observable that several threads read and write, as Objective-C's `atomic` does.
///
/// ```swift
/// final class Download: KeyValueObject, @unchecked Sendable {
///     @AtomicObserved var received = 0
/// }
///
/// download.$received.update { $0 += chunk.count }
/// ```
///
/// Reads and writes are atomic, and each write announces one change, with exactly the value that it replaced. What reads and then writes,
/// `+=` and methods that change the value in place among it, is two steps, between which another thread may write: use
/// ``Projection/update(_:)``. No lock is held while observers are called.
///
/// The value lives in an object of its own: creating a subject allocates once for each such property.
@propertyWrapper
public struct AtomicObserved<Value> {
    @usableFromInline let cell: AtomicCell<Value>

    /// Makes a property with its first value.
    @inlinable
    public init(wrappedValue: Value) {
        cell = AtomicCell(wrappedValue)
    }

    /// Not available: the property must be one of a class.
    @available(*, unavailable, message: "@AtomicObserved needs a class that conforms to KeyValueObservable")
    public var wrappedValue: Value {
        get { preconditionFailure("@AtomicObserved was used outside a class.") }
        set { preconditionFailure("@AtomicObserved was used outside a class.") }
    }

    /// Not available: the property must be one of a class.
    @available(*, unavailable, message: "@AtomicObserved needs a class that conforms to KeyValueObservable")
    public var projectedValue: Projection {
        preconditionFailure("@AtomicObserved was used outside a class.")
    }

    /// The property, reached through its object.
    @inlinable
    public static subscript<Owner: KeyValueObservable>(
        _enclosingInstance owner: Owner,
        wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
        storage storage: @autoclosure () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) -> Value {
        get {
            let cell = owner[keyPath: storage()].cell
            // SAFETY: a thread-local word, compared and not followed.
            if unsafe safekvo_recorder() == nil { return cell.load() }
            if !PropertyAccess.isExpectedRead(owner, owner.keyValueRegistrar, cell.identity) {
                PropertyAccess.recordRead(owner, property: cell.identity, keyPath: wrapped, storage: storage)
            }
            let value = cell.load()
            PropertyAccess.didRead(value)
            return value
        }
        set { AtomicChange.set(owner, owner[keyPath: storage()].cell, to: newValue, keyPath: wrapped) }
    }

    /// The operations that are more than a read or a write.
    @inlinable
    public static subscript<Owner: KeyValueObservable>(
        _enclosingInstance owner: Owner,
        projected projected: @autoclosure () -> KeyPath<Owner, Projection>,
        storage storage: @autoclosure () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) -> Projection {
        get { Projection(owner: owner, cell: owner[keyPath: storage()].cell) }
    }

    /// The operations on an atomic property that are more than a read or a write: `$name`.
    public struct Projection {
        private let owner: any KeyValueObservable
        private let cell: AtomicCell<Value>

        @usableFromInline
        init(owner: any KeyValueObservable, cell: AtomicCell<Value>) {
            self.owner = owner
            self.cell = cell
        }

        /// Reads, changes and writes as one step, and announces one change.
        ///
        /// The closure works on a copy, under no lock. If another thread writes meanwhile, it is called again with what that thread wrote, so
        /// it should do nothing else than compute. If it throws, nothing is written, and nothing announced unless it threw when called again:
        /// who asked for a call before the change gets one, however often the closure is called.
        ///
        /// - Parameter change: Changes the copy.
        /// - Returns: what the closure returned, the last time.
        /// - Throws: what the closure throws.
        @discardableResult
        public func update<Result, Failure: Error>(_ change: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
            try AtomicChange.update(owner, cell, change)
        }
    }
}

extension AtomicObserved: Sendable where Value: Sendable {}
