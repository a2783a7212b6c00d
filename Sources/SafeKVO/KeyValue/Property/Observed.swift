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
/// While nobody observes the object, a property costs little more than a plain one, in time, and nothing in space. Every assignment and
/// every access in place (`clock.items.append(x)`) announces one change, also one that changes nothing. `willSet` and `didSet` of the
/// property itself work, after the observers have been called; not for what is done through ``MutableArrayValue`` and ``MutableSetValue``.
///
/// The property is as safe to use from several threads as a plain stored property is: not at all. ``AtomicObserved`` is for those.
///
/// The wrapper works in classes that conform to ``KeyValueObservable``. In others, the compiler says that the subscript requires the class
/// to conform; in a struct or an `actor`, that `wrappedValue` is unavailable: make it a class that the actor owns. A `weak` property cannot
/// be wrapped: keep a plain `weak var`, and announce its changes by hand.
@propertyWrapper
public struct Observed<Value> {
    @usableFromInline var value: Value

    /// Makes a property with its first value.
    @inlinable
    public init(wrappedValue: Value) {
        value = wrappedValue
    }

    /// Not available: the property must be one of a class.
    @available(
        *, unavailable,
        message: "@Observed needs a class that conforms to KeyValueObservable. Move the property to such a class, which an actor may own."
    )
    public var wrappedValue: Value {
        get { preconditionFailure("`@Observed` needs a class that conforms to `KeyValueObservable`. Move the property there.") }
        set { preconditionFailure("`@Observed` needs a class that conforms to `KeyValueObservable`. Move the property there.") }
    }

    /// The property, reached through its object.
    @inlinable
    public static subscript<Owner: KeyValueObservable>(
        _enclosingInstance owner: Owner,
        wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
        storage storage: @autoclosure () -> ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> Value {
        @inline(__always) get {
            owner._track(.read) { wrapped() }
            if safekvo_is_recording() {
                let unexpected =
                    MemoryLayout<Value>.size == 0
                    ? PropertyAccess.unexpectedRead(owner, owner.keyValueRegistrar, PropertyAccess.identity(ofSizeless: wrapped()))
                    : unexpectedRead(owner, storage)
                if let property = unexpected {
                    PropertyAccess.recordRead(owner, property: property, keyPath: wrapped, storage: storage)
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
            owner._track(.willSet) { wrapped() }
            defer { owner._track(.didSet) { wrapped() } }
            guard let list = PropertyAccess.list(of: owner, identity(in: owner, wrapped, storage), wrapped) else {
                owner[keyPath: storage()].value = newValue
                return
            }
            if PropertyAccess.isToldAfterwards(list) {
                // What goes is let go of when the access is over: its end may set properties that others derive from this one.
                var gone = newValue
                swap(&owner[keyPath: storage()].value, &gone)
                PropertyChange<Value>.tell(list, of: owner, new: newValue)
            } else if let change = PropertyChange<Value>.begin(
                list, of: owner, old: owner[keyPath: storage()].value, new: newValue, wrapped)
            {
                var gone = newValue
                swap(&owner[keyPath: storage()].value, &gone)
                change.finish(owner, new: newValue, wrapped)
            } else {
                owner[keyPath: storage()].value = newValue
            }
        }
        @inline(__always) _modify {
            owner._track(.read) { wrapped() }
            if owner.keyValueRegistrar.observers.isIdle {
                yield &owner[keyPath: storage()].value
                return
            }
            owner._track(.willSet) { wrapped() }
            defer { owner._track(.didSet) { wrapped() } }
            if var change = PropertyChange<Value>.begin(
                PropertyAccess.list(of: owner, identity(in: owner, wrapped, storage), wrapped))
            {
                change.delivery.settle()
                if change.delivery.wantsOldValues { change.old = change.getterValue(owner, wrapped) ?? owner[keyPath: storage()].value }
                if change.delivery.wantsPriorCalls { change.tellPrior(owner, new: nil) }
                change.delivery.setOpen(true)
                yield &owner[keyPath: storage()].value
                change.delivery.setOpen(false)
                change.finish(owner, new: owner[keyPath: storage()].value, wrapped)
            } else {
                let list = PropertyAccess.openSilently(owner, owner.keyValueRegistrar, identity(in: owner, wrapped, storage))
                yield &owner[keyPath: storage()].value
                if let list { PropertyAccess.closeSilently(list, of: owner) }
            }
        }
    }

    /// What identifies the property among those of its object, at no cost in space: where it is stored.
    ///
    /// This is an access to the property that allows no other, for those who are about to write it.
    /// Properties without a size may all be stored at one place; what tells them apart is the hash of their key path.
    @inlinable
    @inline(__always)
    static func identity<Owner: AnyObject>(
        in owner: Owner, _ wrapped: () -> ReferenceWritableKeyPath<Owner, Value>,
        _ storage: () -> ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> UInt {
        if MemoryLayout<Value>.size == 0 { return PropertyAccess.identity(ofSizeless: wrapped()) }
        // SAFETY: only the address is taken, and only to be compared. A stored property of a class stays where it is.
        return unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage()].value) { pointer in
            unsafe UInt(bitPattern: pointer) &- UInt(bitPattern: Unmanaged.passUnretained(owner).toOpaque())
        }
    }

    /// The same for those who read the property, and access nothing of it: nil if the recorder of this thread expected that.
    ///
    /// Out of line, so that the fast path needs neither registers nor room on the stack. It must have no other closure than this one, which it
    /// does not hand on: then the optimiser makes a function of it for each property, in which the offset is a number.
    @inlinable
    @inline(never)
    static func unexpectedRead<Owner: KeyValueObservable>(
        _ owner: Owner, _ storage: () -> ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> UInt? {
        let property = PropertyAccess.offset(in: owner) { owner in
            // SAFETY: only the address is taken, and only to be compared.
            unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage()].value) { UInt(bitPattern: $0) }
        }
        return PropertyAccess.unexpectedRead(owner, owner.keyValueRegistrar, property)
    }
}

extension Observed: Sendable where Value: Sendable {}
