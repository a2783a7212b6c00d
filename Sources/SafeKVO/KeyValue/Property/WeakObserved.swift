public import CSafeKVO

/// Makes a `weak` property observable.
///
/// ```swift
/// final class Node: KeyValueObject {
///     @WeakObserved var parent: Node?
/// }
/// ```
///
/// The property does not retain the object. Key paths such as `\.parent?.name` follow it like any other observed property.
///
/// Every assignment notifies the observers of one change, even if it assigns the same object. When the object is deallocated, the property
/// becomes nil by itself, and nobody is notified of that. To get a call, let something else assign nil, for example the object's owner.
///
/// While observers are notified of an assignment, the change retains the old and the new object.
///
/// An observed property is as unsafe to share between threads as a plain stored property.
///
/// The wrapper works in classes that conform to ``KeyValueObservable``. In another class, and in an `actor`, the compiler reports without a
/// line that the subscript requires this conformance. In a struct, it reports that `wrappedValue` is unavailable.
@propertyWrapper
public struct WeakObserved<Object: AnyObject> {
    @usableFromInline weak var object: Object?

    /// Creates a property with its initial value.
    @_alwaysEmitIntoClient
    public init(wrappedValue: Object?) {
        object = wrappedValue
    }

    /// Not available: the property must belong to a class that conforms to ``KeyValueObservable``.
    @available(
        *, unavailable,
        message:
            "@WeakObserved needs a class that conforms to KeyValueObservable. Move the property to such a class, which an actor may own."
    )
    public var wrappedValue: Object? {
        get { preconditionFailure("`@WeakObserved` needs a class that conforms to `KeyValueObservable`. Move the property there.") }
        set { preconditionFailure("`@WeakObserved` needs a class that conforms to `KeyValueObservable`. Move the property there.") }
    }

    #if SAFEKVO_PLAIN_KEY_PATHS
        /// Accesses the property through its object.
        ///
        /// The compiler calls this subscript for each read and write.
        /// Leave the calls to the compiler: a key path names the same stored property in all objects of a class.
        @_alwaysEmitIntoClient
        public static subscript<Owner: KeyValueObservable>(
            _enclosingInstance owner: Owner,
            wrapped wrapped: ReferenceWritableKeyPath<Owner, Object?>,
            storage storage: ReferenceWritableKeyPath<Owner, WeakObserved<Object>>
        ) -> Object? {
            @inline(__always) get { self[of: owner, { wrapped }, { storage }] }
            @inline(__always) set { self[of: owner, { wrapped }, { storage }] = newValue }
        }
    #else
        /// Accesses the property through its object.
        ///
        /// The compiler calls this subscript for each read and write.
        /// Leave the calls to the compiler: a key path names the same stored property in all objects of a class.
        @_alwaysEmitIntoClient
        public static subscript<Owner: KeyValueObservable>(
            _enclosingInstance owner: Owner,
            wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Object?>,
            storage storage: @autoclosure () -> ReferenceWritableKeyPath<Owner, WeakObserved<Object>>
        ) -> Object? {
            @inline(__always) get { self[of: owner, wrapped, storage] }
            @inline(__always) set { self[of: owner, wrapped, storage] = newValue }
        }
    #endif

    /// Accesses the property; the closures make the key paths only where they are needed.
    @_alwaysEmitIntoClient
    static subscript<Owner: KeyValueObservable>(
        of owner: Owner,
        wrapped: () -> ReferenceWritableKeyPath<Owner, Object?>,
        storage: () -> ReferenceWritableKeyPath<Owner, WeakObserved<Object>>
    ) -> Object? {
        get {
            owner._track(.read) { wrapped() }
            if !safekvo_is_recording() { return owner[keyPath: storage()].object }
            if let property = PropertyAccess.unexpectedRead(owner, owner.keyValueRegistrar, identity(in: owner, storage)) {
                PropertyAccess.recordRead(owner, property: property, keyPath: wrapped)
            }
            let value = owner[keyPath: storage()].object
            PropertyAccess.didRead(value)
            return value
        }
        @inline(__always) set {
            if owner.keyValueRegistrar.observers.isIdle {
                owner[keyPath: storage()].object = newValue
                return
            }
            // SAFETY: this only takes the address of the property; nothing is read or written at the address.
            let address = unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage()]) { UInt(bitPattern: $0) }
            assign(newValue, to: owner, PropertyAccess.offset(toWrite: owner, address), wrapped)
        }
    }

    /// Not inlined, so that the setter, which calls this function, stays small enough to be inlined.
    @_alwaysEmitIntoClient
    @inline(never)
    static func assign<Owner: KeyValueObservable>(
        _ newValue: Object?, to owner: Owner, _ property: UInt, _ wrapped: () -> ReferenceWritableKeyPath<Owner, Object?>
    ) {
        owner._track(.willSet) { wrapped() }
        defer { owner._track(.didSet) { wrapped() } }
        // SAFETY: (of the accesses to `stored`) the caller retains `owner`, which stores the wrapper at the offset `property`, and has checked
        // that no other access is in progress. Handlers that have run since then have ended their accesses.
        let stored = unsafe StoredProperty<Self>(of: owner, at: property)
        guard let list = PropertyAccess.list(of: owner, property, wrapped), var delivery = PropertyAccess.delivery(to: list) else {
            unsafe stored.address.pointee.object = newValue
            return
        }
        var old: Object??
        if delivery.wantsOldValues { old = unsafe PropertyAccess.getterValue(owner, delivery, wrapped) ?? stored.address.pointee.object }
        if delivery.wantsPriorCalls { PropertyAccess.notifyPrior(owner, through: &delivery, of: Object?.self, new: newValue, old: old) }
        unsafe stored.address.pointee.object = newValue
        PropertyAccess.finish(owner, delivery, new: newValue, old: old, wrapped)
    }

    /// Returns the number that identifies the property, before a read: the offset of its wrapper in the object.
    @_alwaysEmitIntoClient
    @inline(never)
    static func identity<Owner: AnyObject>(
        in owner: Owner, _ storage: () -> ReferenceWritableKeyPath<Owner, WeakObserved<Object>>
    ) -> UInt {
        PropertyAccess.offset(in: owner) { owner in
            // SAFETY: this only takes the address of the property; nothing is read or written at the address.
            unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage()]) { UInt(bitPattern: $0) }
        }
    }
}

extension WeakObserved: Sendable where Object: Sendable {}
