public import CSafeKVO

/// The stored value of a property, reached by its offset in the object.
///
/// Do not replace the offset by a key path: the compiler would then add an exclusivity check to every access in the module that forms the
/// key path.
@safe
@usableFromInline
struct StoredProperty<Value> {
    @usableFromInline let address: UnsafeMutablePointer<Value>

    /// Finds the stored value of an object; the offset is ignored if `Value` has size zero.
    ///
    /// The caller must retain the object as long as it uses this value, and must know that the object stores a value of this type at the
    /// offset.
    @unsafe @inlinable
    init(of owner: AnyObject, at offset: UInt) {
        let start = unsafe Unmanaged.passUnretained(owner).toOpaque()
        let offset = MemoryLayout<Value>.size == 0 ? 0 : Int(bitPattern: offset)
        // SAFETY: the caller knows that the object stores a value of this type at the offset.
        unsafe address = (start + offset).assumingMemoryBound(to: Value.self)
    }

    /// The stored value, read without an exclusivity check; the caller must know that no write to the property is in progress.
    @unsafe @inlinable var value: Value { unsafe address.pointee }

    /// Exchanges the stored value and `value`; the caller must have checked that no other access is in progress.
    @unsafe @inlinable
    func exchange(_ value: inout Value) {
        unsafe swap(&address.pointee, &value)
    }

    /// Returns a copy of the value; traps if the property is being mutated in place.
    @inlinable
    func copy() -> Value {
        var access = safekvo_access()
        // SAFETY: with the flags 0, the runtime checks that no write is in progress, and records no access that must be ended. No other
        // code runs during the copy.
        unsafe swift_beginAccess(address, &access, 0, nil)
        return unsafe value
    }

    /// Exchanges the stored value and `value`; traps if another access to the property is in progress.
    @inlinable
    func exchangeChecked(_ value: inout Value) {
        var access = safekvo_access()
        // SAFETY: with the flags 1, the runtime checks that no other access is in progress, and records no access that must be ended. No
        // other code runs during the exchange.
        unsafe swift_beginAccess(address, &access, 1, nil)
        unsafe exchange(&value)
    }
}
