public import CSafeKVO

/// The stored value of a property, reached by its offset in the object.
///
/// The caller must retain the object, and must know that the object stores a value of this type at the offset.
///
/// Do not replace the offset by a key path: the compiler would then add an exclusivity check to every access in the module that forms the
/// key path.
@unsafe
@usableFromInline
struct StoredProperty<Value> {
    @usableFromInline let address: UnsafeMutablePointer<Value>

    @inlinable
    init(of owner: AnyObject, at offset: UInt) {
        let start = unsafe Unmanaged.passUnretained(owner).toOpaque()
        let offset = MemoryLayout<Value>.size == 0 ? 0 : Int(bitPattern: offset)
        // SAFETY: the caller knows that the object stores a value of this type at the offset.
        unsafe address = (start + offset).assumingMemoryBound(to: Value.self)
    }

    /// Exchanges the values; the caller must know that no other access is in progress.
    @inlinable
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
        return unsafe address.pointee
    }

    /// Exchanges the values; traps if another access to the property is in progress.
    @inlinable
    func exchangeChecked(_ value: inout Value) {
        var access = safekvo_access()
        // SAFETY: with the flags 1, the runtime checks that no other access is in progress, and records no access that must be ended. No
        // other code runs during the exchange.
        unsafe swift_beginAccess(address, &access, 1, nil)
        unsafe exchange(&value)
    }
}
