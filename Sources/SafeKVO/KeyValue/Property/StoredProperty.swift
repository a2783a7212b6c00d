internal import CSafeKVO

/// The stored value of a property, reached by its offset in the object.
///
/// A key path to the storage is avoided: if a module forms one anywhere, the compiler keeps a check for exclusive access in every get and
/// set of the property.
///
/// The caller must retain the object, and must know that the object stores a value of this type at the offset.
@unsafe
@usableFromInline
struct StoredProperty<Value> {
    @usableFromInline let address: UnsafeMutablePointer<Value>

    /// Creates a reference to a stored value.
    ///
    /// - Parameters:
    ///   - owner: The object.
    ///   - offset: The offset of the property; any number if `Value` has size zero.
    @inlinable
    init(of owner: AnyObject, at offset: UInt) {
        let start = unsafe Unmanaged.passUnretained(owner).toOpaque()
        // A value without a size has no bytes that could be read or written.
        let offset = MemoryLayout<Value>.size == 0 ? 0 : Int(bitPattern: offset)
        // SAFETY: the caller knows that the object stores a value of this type there.
        unsafe address = (start + offset).assumingMemoryBound(to: Value.self)
    }

    /// Exchanges the value for another one, without a check for exclusive access.
    ///
    /// The caller must have checked that no other access to the property is in progress.
    @inlinable
    func exchange(_ value: inout Value) {
        unsafe swap(&address.pointee, &value)
    }

    /// Returns a copy of the value.
    ///
    /// If a change in place is in progress, the runtime ends the program.
    func copy() -> Value {
        var access = safekvo_access()
        // SAFETY: the runtime checks that no write is in progress. No other code runs during the copy, so this access need not be recorded
        // and ended.
        unsafe swift_beginAccess(address, &access, 0, nil)
        return unsafe address.pointee
    }

    /// Exchanges the value for another one.
    ///
    /// If another access to the property is in progress, the runtime ends the program.
    func exchangeChecked(_ value: inout Value) {
        var access = safekvo_access()
        // SAFETY: no other code runs during the exchange. So the runtime only has to check this access; nothing ends it.
        unsafe swift_beginAccess(address, &access, 1, nil)
        unsafe exchange(&value)
    }
}
