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
/// ``Projection/update(fileID:line:_:)``. No lock is held while observers are called.
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
    @available(
        *, unavailable,
        message:
            "@AtomicObserved needs a class that conforms to KeyValueObservable. Move the property to such a class, which an actor may own."
    )
    public var wrappedValue: Value {
        get { preconditionFailure("`@AtomicObserved` needs a class that conforms to `KeyValueObservable`. Move the property there.") }
        set { preconditionFailure("`@AtomicObserved` needs a class that conforms to `KeyValueObservable`. Move the property there.") }
    }

    /// Not available: the property must be one of a class.
    @available(
        *, unavailable,
        message:
            "@AtomicObserved needs a class that conforms to KeyValueObservable. Move the property to such a class, which an actor may own."
    )
    public var projectedValue: Projection {
        preconditionFailure("`@AtomicObserved` needs a class that conforms to `KeyValueObservable`. Move the property there.")
    }

    /// The property, reached through its object.
    @inlinable
    public static subscript<Owner: KeyValueObservable>(
        _enclosingInstance owner: Owner,
        wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
        storage storage: @autoclosure () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) -> Value {
        @inline(__always) get {
            owner._track(.read) { storage() }
            if !safekvo_is_recording() { return owner[keyPath: storage()].cell.load() }
            if let property = PropertyAccess.unexpectedRead(owner, owner.keyValueRegistrar, identity(in: owner, storage)) {
                PropertyAccess.recordRead(owner, property: property, keyPath: wrapped, storage: storage)
            }
            let value = owner[keyPath: storage()].cell.load()
            PropertyAccess.didRead(value)
            return value
        }
        @inline(__always) set {
            let cell = owner[keyPath: storage()].cell
            if !owner.keyValueRegistrar.observers.isIdle {
                owner._track(.willSet) { storage() }
                defer { owner._track(.didSet) { storage() } }
                return AtomicChange.set(owner, identity(in: owner, storage), cell, to: newValue, keyPath: wrapped)
            }
            let (old, write) = cell.exchange(newValue)
            // Whoever has registered since may have read the old value as its initial one.
            if owner.keyValueRegistrar.observers.isIdle { return }
            owner._track(.willSet) { storage() }
            defer { owner._track(.didSet) { storage() } }
            AtomicChange.tell(owner, identity(in: owner, storage), cell, write, old: old, new: newValue, keyPath: wrapped)
        }
    }

    /// The operations that are more than a read or a write.
    @inlinable
    public static subscript<Owner: KeyValueObservable>(
        _enclosingInstance owner: Owner,
        projected projected: @autoclosure () -> KeyPath<Owner, Projection>,
        storage storage: @escaping @autoclosure () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) -> Projection {
        get {
            Projection(owner: owner, property: identity(in: owner, storage)) { access in
                if let access { owner._track(access, storage) }
                return owner[keyPath: storage()].cell
            }
        }
    }

    /// What identifies the property among those of its object, whatever cell it has: where it is stored.
    ///
    /// Threads may be reading it, so it is found without an access to it.
    @inlinable
    @inline(never)
    static func identity<Owner: AnyObject>(
        in owner: Owner, _ storage: () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) -> UInt {
        PropertyAccess.offset(in: owner) { owner in
            // SAFETY: only the address is taken, and only to be compared.
            unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage()]) { UInt(bitPattern: $0) }
        }
    }

    /// The operations on an atomic property that are more than a read or a write: `$name`.
    public struct Projection {
        private let owner: any KeyValueObservable
        private let property: UInt
        /// Returns the cell that the property has at the moment, and informs Swift's Observation of an access.
        private let cell: (_TrackedAccess?) -> AtomicCell<Value>

        @usableFromInline
        init(owner: any KeyValueObservable, property: UInt, cell: @escaping (_TrackedAccess?) -> AtomicCell<Value>) {
            self.owner = owner
            self.property = property
            self.cell = cell
        }

        /// Reads, changes and writes as one step, and announces one change.
        ///
        /// The closure works on a copy, under no lock. If another thread writes meanwhile, it is called again with what that thread wrote, so
        /// it should do nothing else than compute. If it throws, nothing is written, and nothing announced unless it threw when called again:
        /// who asked for a call before the change gets one, however often the closure is called.
        ///
        /// The closure must not write the property itself, by an assignment, an `update` inside it or in any other way. If it does, what it
        /// wrote is announced and then overwritten with its result, as by `let copy = value; …; value = copy`, and a warning is reported
        /// (``ObservationWarning/Kind/overwrittenChange``).
        ///
        /// - Parameters:
        ///   - fileID: Leave it out: it tells diagnostics where the update was written.
        ///   - line: Leave it out, likewise.
        ///   - change: Changes the copy.
        /// - Returns: what the closure returned, the last time.
        /// - Throws: what the closure throws.
        @discardableResult
        public func update<Result, Failure: Error>(
            fileID: StaticString = #fileID, line: UInt = #line, _ change: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            _ = cell(.willSet)
            defer { _ = cell(.didSet) }
            return try AtomicChange.update(
                owner, property, at: SourcePosition(fileID: fileID, line: line), { nil }, cell: { cell(nil) }, change)
        }
    }
}

extension AtomicObserved: Sendable where Value: Sendable {}
