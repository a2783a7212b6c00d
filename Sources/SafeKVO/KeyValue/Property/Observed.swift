public import CSafeKVO

/// Makes a stored property observable.
///
/// ```swift
/// final class WallClock: KeyValueObject {
///     @Observed var date = Date()
///     @Observed private(set) var zone: TimeZone?
/// }
/// ```
///
/// While nobody observes the object, an observed property takes little more time than a plain one, and no more space.
///
/// Every assignment notifies the observers of one change. Every access in place, such as `clock.items.append(x)`, does so too, even if it
/// changes nothing.
///
/// The property may have its own `willSet` and `didSet`. `willSet` runs before the observers are notified, and `didSet` after. Neither runs
/// for changes through ``MutableArrayValue`` or ``MutableSetValue``.
///
/// An observed property is as unsafe to share between threads as a plain stored property. Use ``ObservedValue`` or
/// ``AtomicObserved`` for a value that several threads use.
///
/// The wrapper works in classes that conform to ``KeyValueObservable``. In another class, and in an `actor`, the compiler reports without a
/// line that the subscript requires this conformance. In a struct, it reports that `wrappedValue` is unavailable. For an actor, put the
/// property into a class that the actor owns.
///
/// A `weak` property cannot have the wrapper. Use ``WeakObserved``.
@propertyWrapper
public struct Observed<Value> {
    @usableFromInline var value: Value

    /// Creates a property with its initial value.
    @_alwaysEmitIntoClient
    public init(wrappedValue: Value) {
        value = wrappedValue
    }

    /// Not available: the property must belong to a class that conforms to ``KeyValueObservable``.
    @available(
        *, unavailable,
        message: "@Observed needs a class that conforms to KeyValueObservable. Move the property to such a class, which an actor may own."
    )
    public var wrappedValue: Value {
        get { preconditionFailure("`@Observed` needs a class that conforms to `KeyValueObservable`. Move the property there.") }
        set { preconditionFailure("`@Observed` needs a class that conforms to `KeyValueObservable`. Move the property there.") }
    }

    #if SAFEKVO_PLAIN_KEY_PATHS
        /// Accesses the property through its object.
        ///
        /// The compiler calls this subscript for each read, write and access in place.
        /// Leave the calls to the compiler: a key path names the same stored property in all objects of a class.
        @_alwaysEmitIntoClient
        public static subscript<Owner: KeyValueObservable>(
            _enclosingInstance owner: Owner,
            wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
            storage storage: ReferenceWritableKeyPath<Owner, Observed<Value>>
        ) -> Value {
            @inline(__always) get { self[of: owner, { wrapped }, { storage }] }
            @inline(__always) set { self[of: owner, { wrapped }, { storage }] = newValue }
            @inline(__always) _modify { yield &self[of: owner, { wrapped }, { storage }] }
        }
    #else
        /// Accesses the property through its object.
        ///
        /// The compiler calls this subscript for each read, write and access in place.
        /// Leave the calls to the compiler: a key path names the same stored property in all objects of a class.
        @_alwaysEmitIntoClient
        public static subscript<Owner: KeyValueObservable>(
            _enclosingInstance owner: Owner,
            wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
            storage storage: @autoclosure () -> ReferenceWritableKeyPath<Owner, Observed<Value>>
        ) -> Value {
            @inline(__always) get { self[of: owner, wrapped, storage] }
            @inline(__always) set { self[of: owner, wrapped, storage] = newValue }
            @inline(__always) _modify { yield &self[of: owner, wrapped, storage] }
        }
    #endif

    /// Accesses the property; the closures make the key paths only where they are needed.
    @_alwaysEmitIntoClient
    static subscript<Owner: KeyValueObservable>(
        of owner: Owner,
        wrapped: () -> ReferenceWritableKeyPath<Owner, Value>,
        storage: () -> ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> Value {
        @inline(__always) get {
            owner._track(.read) { wrapped() }
            if safekvo_is_recording() {
                let unexpected =
                    MemoryLayout<Value>.size == 0
                    ? PropertyAccess.unexpectedRead(owner, owner.keyValueRegistrar, PropertyAccess.identity(ofSizeless: wrapped()))
                    : unexpectedRead(owner, storage)
                if let property = unexpected {
                    PropertyAccess.recordRead(owner, property: property, keyPath: wrapped)
                }
                let value = owner[keyPath: storage()].value
                PropertyAccess.didRead(value)
                return value
            }
            return owner[keyPath: storage()].value
        }
        @inline(__always) set {
            if owner.keyValueRegistrar.observers.isIdle {
                owner[keyPath: storage()].value = newValue
                return
            }
            assign(newValue, to: owner, identity(in: owner, wrapped, storage), wrapped)
        }
        @inline(__always) _modify {
            owner._track(.read) { wrapped() }
            var mutation =
                owner.keyValueRegistrar.observers.isIdle
                ? nil : MutationInPlace<Value>.begin(of: owner, identity(in: owner, wrapped, storage), wrapped)
            // The compiler inlines an accessor only if it has a single `yield`. Otherwise each mutation goes through key paths.
            yield &owner[keyPath: storage()].value
            mutation?.end(of: owner, wrapped)
        }
    }

    /// Not inlined, so that the setter, which calls this function, stays small enough to be inlined.
    @_alwaysEmitIntoClient
    @inline(never)
    static func assign<Owner: KeyValueObservable>(
        _ newValue: Value, to owner: Owner, _ property: UInt, _ wrapped: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        owner._track(.willSet) { wrapped() }
        defer { owner._track(.didSet) { wrapped() } }
        // SAFETY: the caller retains `owner`, which stores the value at the offset `property`. `identity` found the offset with a checked
        // access, which traps if another access to the value is in progress. So there was none. Handlers that have run since then have
        // ended their accesses.
        let stored = unsafe StoredProperty<Value>(of: owner, at: property)
        let (known, isReady) = PropertyAccess.listToTell(
            of: owner, owner.keyValueRegistrar, property, offset: MemoryLayout<Value>.size == 0 ? 0 : property)
        guard !isReady, let list = known ?? PropertyAccess.list(of: owner, property, events: Value.self, keyPath: wrapped) else {
            // The `deinit` of the old value may read this property. So `value` keeps the old value until the access has ended.
            var value = newValue
            unsafe stored.exchange(&value)
            if let known { PropertyAccess.notify(known, of: owner, new: newValue) }
            return
        }
        PropertyAccess.write(newValue, to: stored, of: owner, list, wrapped)
    }

    /// Returns the number that identifies the property: its offset, or a hash of the key path if its size is zero.
    ///
    /// Call this only before a write. The function takes the property's address with a modifying access, which traps while another access
    /// is in progress.
    @_alwaysEmitIntoClient
    @inline(__always)
    static func identity<Owner: AnyObject>(
        in owner: Owner, _ wrapped: () -> ReferenceWritableKeyPath<Owner, Value>,
        _ storage: () -> ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> UInt {
        if MemoryLayout<Value>.size == 0 { return PropertyAccess.identity(ofSizeless: wrapped()) }
        // SAFETY: this takes only the address of the property. A stored property of a class never moves.
        return unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage()].value) { pointer in
            unsafe UInt(bitPattern: pointer) &- UInt(bitPattern: Unmanaged.passUnretained(owner).toOpaque())
        }
    }

    /// Reports that this property is about to be read, while an ``AccessRecorder`` records what a key path reads.
    ///
    /// Add no closure parameter, and do not pass `storage` on. Otherwise the optimiser does not compile this function for each property,
    /// with its offset as a constant.
    @_alwaysEmitIntoClient
    @inline(never)
    static func unexpectedRead<Owner: KeyValueObservable>(
        _ owner: Owner, _ storage: () -> ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> UInt? {
        let property = PropertyAccess.offset(in: owner) { owner in
            // SAFETY: this only takes the address of the property; nothing is read or written at the address.
            unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage()].value) { UInt(bitPattern: $0) }
        }
        return PropertyAccess.unexpectedRead(owner, owner.keyValueRegistrar, property)
    }
}

extension Observed: Sendable where Value: Sendable {}
