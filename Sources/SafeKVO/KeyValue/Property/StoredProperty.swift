public import CSafeKVO

/// The stored value of a property, reached by its offset in the object.
///
/// A key path to the storage would do as well. But where a module forms such a key path, the compiler leaves a check of exclusivity in every
/// get and set of the property. The runtime checks the accesses of this type in the same way: it ends the program if another access to the
/// property is under way.
///
/// The caller keeps the object, and knows that it stores a value of this type at the offset.
@unsafe
@usableFromInline
struct StoredProperty<Value> {
    @usableFromInline let address: UnsafeMutablePointer<Value>

    /// Makes a reference to a stored value.
    ///
    /// - Parameters:
    ///   - owner: The object.
    ///   - offset: The offset of the property. For a property without a size it may be any number.
    @inlinable
    init(of owner: AnyObject, at offset: UInt) {
        let start = unsafe Unmanaged.passUnretained(owner).toOpaque()
        // Nothing is ever read or written where a value without a size is.
        let offset = MemoryLayout<Value>.size == 0 ? 0 : Int(bitPattern: offset)
        unsafe address = (start + offset).assumingMemoryBound(to: Value.self)
    }

    /// A copy of the value.
    @inlinable var value: Value {
        // The runtime need not note this access: nothing runs beside it.
        var access = safekvo_access()
        unsafe swift_beginAccess(address, &access, 0, nil)
        return unsafe address.pointee
    }

    /// Exchanges the value for another one.
    @inlinable
    func exchange(_ value: inout Value) {
        var access = safekvo_access()
        unsafe swift_beginAccess(address, &access, 1, nil)
        unsafe swap(&address.pointee, &value)
    }

    /// Calls a closure with the value, which it may change in place.
    ///
    /// The runtime notes the access until the closure returns. The closure must not use the property in another way.
    func change<Result>(_ body: (inout Value) -> Result) -> Result {
        var access = safekvo_access()
        unsafe swift_beginAccess(address, &access, 1 | 0x20, nil)
        defer { unsafe swift_endAccess(&access) }
        return unsafe body(&address.pointee)
    }
}
