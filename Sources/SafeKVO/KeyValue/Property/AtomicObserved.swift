public import CSafeKVO

/// Makes a stored property observable, and safe to read and write from several threads, like `atomic` in Objective-C.
///
/// ```swift
/// final class Download: KeyValueObject, @unchecked Sendable {
///     @AtomicObserved var received = 0
/// }
///
/// download.$received.update { $0 += chunk.count }
/// ```
///
/// Each read and each write is atomic. Each write notifies the observers of one change, whose old value is exactly the value that the write
/// replaced. No lock is held while handlers run.
///
/// An operation that reads and then writes is two steps. Examples are `+=` and methods that mutate the value. What another thread writes in
/// between is lost. Use ``Projection/update(fileID:line:_:)`` for these.
///
/// The type of the value must be `Sendable`. ``ObservedValue`` is a class with one such property. A model of such constants needs no
/// `@unchecked Sendable`, so prefer it. A class with properties of its own, for example one that is `Codable`, uses `@AtomicObserved`.
///
/// Any thread may change such a property. So register on an actor, or with `on:`, or use a ``SharedObservationSequence``. A handler without
/// `on:` that is registered in no isolation is refused, for the property and for a key path that reads it:
/// ``ObservationResult/Refusal/noIsolation``. If a key path begins to read the property only later, the property's changes do not call
/// such a handler. They are reported, and counted by ``ObservationCounters/wrongIsolation``. So it is for an observer of `\.self`, except that
/// `\.self` of an ``ObservedValue`` is refused like its value.
///
/// `private(set)` does not protect such a property. `$name` is as visible as the property, so other code can write with
/// `$name.update { … }`. Make the property private, and add a public computed property that returns it.
///
/// `$name` reads and writes the stored value. If a subclass overrides the property, `$name` does not call the overriding getter and setter.
///
/// The value is stored in a separate object. So each such property adds one allocation to the creation of an object.
@propertyWrapper
public struct AtomicObserved<Value: Sendable>: Sendable {
    @usableFromInline let cell: AtomicCell<Value>

    /// Creates a property with its initial value.
    @_alwaysEmitIntoClient
    public init(wrappedValue: Value) {
        cell = AtomicCell(wrappedValue)
    }

    /// Not available: the property must belong to a class that conforms to ``KeyValueObservable``.
    @available(
        *, unavailable,
        message:
            "@AtomicObserved needs a class that conforms to KeyValueObservable. Move the property to such a class, which an actor may own."
    )
    public var wrappedValue: Value {
        get { preconditionFailure("`@AtomicObserved` needs a class that conforms to `KeyValueObservable`. Move the property there.") }
        set { preconditionFailure("`@AtomicObserved` needs a class that conforms to `KeyValueObservable`. Move the property there.") }
    }

    /// Not available: the property must belong to a class that conforms to ``KeyValueObservable``.
    @available(
        *, unavailable,
        message:
            "@AtomicObserved needs a class that conforms to KeyValueObservable. Move the property to such a class, which an actor may own."
    )
    public var projectedValue: Projection {
        preconditionFailure("`@AtomicObserved` needs a class that conforms to `KeyValueObservable`. Move the property there.")
    }

    #if SAFEKVO_PLAIN_KEY_PATHS
        /// Accesses the property through its object.
        ///
        /// The compiler calls this subscript for each read and write.
        /// Leave the calls to the compiler: a key path names the same stored property in all objects of a class.
        @_alwaysEmitIntoClient
        public static subscript<Owner: KeyValueObservable>(
            _enclosingInstance owner: Owner,
            wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
            storage storage: ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
        ) -> Value {
            @inline(__always) get { self[of: owner, { wrapped }, { storage }] }
            @inline(__always) set { self[of: owner, { wrapped }, { storage }] = newValue }
        }

        /// Returns the projection `$name`, whose operations read and write in one atomic step.
        @_alwaysEmitIntoClient
        public static subscript<Owner: KeyValueObservable>(
            _enclosingInstance owner: Owner,
            projected projected: KeyPath<Owner, Projection>,
            storage storage: ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
        ) -> Projection {
            projection(of: owner) { storage }
        }
    #else
        /// Accesses the property through its object.
        ///
        /// The compiler calls this subscript for each read and write.
        /// Leave the calls to the compiler: a key path names the same stored property in all objects of a class.
        @_alwaysEmitIntoClient
        public static subscript<Owner: KeyValueObservable>(
            _enclosingInstance owner: Owner,
            wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
            storage storage: @autoclosure () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
        ) -> Value {
            @inline(__always) get { self[of: owner, wrapped, storage] }
            @inline(__always) set { self[of: owner, wrapped, storage] = newValue }
        }

        /// Returns the projection `$name`, whose operations read and write in one atomic step.
        @_alwaysEmitIntoClient
        public static subscript<Owner: KeyValueObservable>(
            _enclosingInstance owner: Owner,
            projected projected: @autoclosure () -> KeyPath<Owner, Projection>,
            storage storage: @escaping @autoclosure () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
        ) -> Projection {
            projection(of: owner, storage)
        }
    #endif

    /// Accesses the property; the closures make the key paths only where they are needed.
    @_alwaysEmitIntoClient
    static subscript<Owner: KeyValueObservable>(
        of owner: Owner,
        wrapped: () -> ReferenceWritableKeyPath<Owner, Value>,
        storage: () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
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
                return AtomicChange.set(owner, identity(toWrite: owner, storage), cell, to: newValue, keyPath: wrapped) {
                    owner[keyPath: storage()].cell
                }
            }
            let (old, write) = cell.exchange(newValue)
            // Check again, because another thread may have registered an observer that has read the old value.
            if owner.keyValueRegistrar.observers.isIdle { return }
            owner._track(.willSet) { storage() }
            defer { owner._track(.didSet) { storage() } }
            AtomicChange.notify(owner, identity(toWrite: owner, storage), cell, write, old: old, new: newValue, keyPath: wrapped)
        }
    }

    @_alwaysEmitIntoClient
    static func projection<Owner: KeyValueObservable>(
        of owner: Owner, _ storage: @escaping () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) -> Projection {
        Projection(owner: owner, property: identity(in: owner, storage)) { access in
            if let access { owner._track(access, storage) }
            return owner[keyPath: storage()].cell
        }
    }

    /// Returns the number that identifies the property, before a write: the offset of its wrapper in the object.
    ///
    /// Several threads may take the address at once, because nothing is written there. The thread sanitizer does not know that.
    @_alwaysEmitIntoClient
    @inline(never)
    static func identity<Owner: AnyObject>(
        toWrite owner: Owner, _ storage: () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) -> UInt {
        safekvo_begin_addressing()
        // SAFETY: this only takes the address of the property; nothing is read or written at the address.
        let address = unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage()]) { UInt(bitPattern: $0) }
        safekvo_end_addressing()
        return PropertyAccess.offset(toWrite: owner, address)
    }

    /// Returns the number that identifies the property, before a read: the offset of its wrapper in the object.
    ///
    /// The offset is measured in a temporary object, because a measurement in `owner` would conflict with reads on other threads.
    @_alwaysEmitIntoClient
    @inline(never)
    static func identity<Owner: AnyObject>(
        in owner: Owner, _ storage: () -> ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) -> UInt {
        PropertyAccess.offset(in: owner) { owner in
            // SAFETY: this only takes the address of the property; nothing is read or written at the address.
            unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage()]) { UInt(bitPattern: $0) }
        }
    }

    /// The operations that read and write an `@AtomicObserved` property in one atomic step.
    ///
    /// For a property `name`, `$name` returns these operations.
    public struct Projection {
        private let owner: any KeyValueObservable
        private let property: UInt
        /// Returns the object that stores the value, after reporting a given access to Swift's Observation.
        private let cell: (_TrackedAccess?) -> AtomicCell<Value>

        @usableFromInline
        init(owner: any KeyValueObservable, property: UInt, cell: @escaping (_TrackedAccess?) -> AtomicCell<Value>) {
            self.owner = owner
            self.property = property
            self.cell = cell
        }

        /// Reads, changes and writes the value in one atomic step, and notifies the observers of one change.
        ///
        /// The closure works on a copy, and no lock is held while it runs. If another thread writes meanwhile, the closure is called again
        /// with the value that the other thread wrote. So the closure should only compute.
        ///
        /// An observer that wants a call before the change gets one such call, however often the closure runs.
        ///
        /// If the closure throws, nothing is written, and observers are not notified. But if an earlier run of the closure succeeded,
        /// observers may already have got the call before the change.
        ///
        /// The closure must not write the property itself, by an assignment, a nested `update` or in any other way. If it does, observers
        /// are notified of that write, and the result of the closure then overwrites it. A warning is reported:
        /// ``ObservationWarning/Kind/overwrittenChange``.
        ///
        /// - Parameter change: Changes the copy.
        /// - Returns: The result of the last call of the closure.
        /// - Throws: The error that the closure throws.
        @discardableResult
        public func update<Result, Failure: Error>(
            fileID: StaticString = #fileID, line: UInt = #line, _ change: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            _ = cell(.willSet)
            defer { _ = cell(.didSet) }
            return try AtomicChange.update(
                owner, property, at: SourcePosition(fileID: fileID, line: line), { nil }, cell: { cell(nil) }, change)
        }

        /// Writes a value if the present value equals another one, in one atomic step.
        ///
        /// ```swift
        /// if job.$state.compareExchange(expected: .waiting, desired: .running).exchanged {
        ///     job.run()  // on one thread only
        /// }
        /// ```
        ///
        /// If the present value differs, nothing is written, and the observers of the property are not notified. Otherwise the observers
        /// are notified of one change, as by ``update(fileID:line:_:)``, even if `desired` equals `expected`. If the class is also
        /// `Observable`, Swift's Observation is told of a change even if nothing is written. The type's `==` must not write the property.
        ///
        /// - Parameters:
        ///   - expected: The value that the property must have.
        ///   - desired: The value to write.
        /// - Returns: `exchanged` is `true` if the value was written. `original` is the value before this call.
        @discardableResult
        public func compareExchange(
            expected: Value, desired: Value, fileID: StaticString = #fileID, line: UInt = #line
        ) -> (exchanged: Bool, original: Value) where Value: Equatable {
            var original = expected
            do {
                try update(fileID: fileID, line: line) { value throws(Declined) in
                    original = value
                    if value != expected { throw Declined() }
                    value = desired
                }
                return (true, original)
            } catch {
                return (false, original)
            }
        }

        private struct Declined: Error {}
    }
}

/// An observable value that threads share.
///
/// A `Sendable` class with such constants is a shared model, which the compiler checks:
///
/// ```swift
/// final class Download: KeyValueObservable, Sendable {
///     let keyValueRegistrar = KeyValueRegistrar()
///     let progress = ObservedValue(0.0)
/// }
///
/// // On the main actor. The handler is called there.
/// observations.observe(download, \.progress.value) { bar, progress in
///     bar.progress = progress
/// }
///
/// download.progress.value = 0.5  // on any thread
/// download.progress.update { $0 += 0.1 }
/// ```
///
/// The object is `Sendable`, and so is a class that stores such objects in constants. Any thread may read, write and observe ``value``. A
/// class that is only `Sendable` needs no registrar: `observe(download.progress, \.value)` observes the value itself.
///
/// ## Lifetime
///
/// An observed object is retained by the controller that observes it, unless that controller was made with `retainsObserved: false`. When
/// the object is deallocated, its observations end.
public final class ObservedValue<Value: Sendable>: KeyValueObservable, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the only variable is the wrapper of `value`, which is assigned in `init` alone. The value itself lies
    // in the wrapper's cell, under a lock.

    /// The registrar, which stores the observations of the object.
    public let keyValueRegistrar = KeyValueRegistrar()

    /// The value, which is read and written atomically.
    ///
    /// Each write notifies the observers of one change. `value += 1` is a read and a write. What another thread writes in between is lost,
    /// so use ``update(fileID:line:_:)`` instead.
    @AtomicObserved public var value: Value

    /// Makes an object with its initial value.
    public init(_ value: Value) {
        self.value = value
    }

    /// Reads, changes and writes the value in one atomic step, and notifies the observers of one change.
    ///
    /// The closure should only compute, because it may be called more than once: ``AtomicObserved/Projection/update(fileID:line:_:)``.
    ///
    /// - Parameter change: Changes a copy of the value.
    /// - Returns: The result of the last call of the closure.
    /// - Throws: The error that the closure throws. Then nothing is written.
    @discardableResult
    public func update<Result, Failure: Error>(
        fileID: StaticString = #fileID, line: UInt = #line, _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try $value.update(fileID: fileID, line: line, change)
    }

    /// Writes a value if the present value equals another one, in one atomic step.
    ///
    /// If the present value differs, nothing is written, and the observers are not notified. Otherwise this function works like
    /// ``AtomicObserved/Projection/compareExchange(expected:desired:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - expected: The value that must be present.
    ///   - desired: The value to write.
    /// - Returns: `exchanged` is `true` if the value was written. `original` is the value before this call.
    @discardableResult
    public func compareExchange(
        expected: Value, desired: Value, fileID: StaticString = #fileID, line: UInt = #line
    ) -> (exchanged: Bool, original: Value) where Value: Equatable {
        $value.compareExchange(expected: expected, desired: desired, fileID: fileID, line: line)
    }
}

/// An ``ObservedValue`` of any type: an object whose every change is one that any thread may make.
protocol ValueOfAllThreads {}

extension ObservedValue: ValueOfAllThreads {}
