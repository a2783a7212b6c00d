internal import CSafeKVO

/// The address of an object that something else keeps alive.
///
/// Deliveries use it to pass registrations on without retaining each one. Any code may store the address and compare it. To turn it into
/// the object again is `unsafe`. Code that does so must say in a comment what keeps the object alive.
@usableFromInline
package struct Unretained<Object: AnyObject>: Sendable, Equatable {
    /// The address.
    ///
    /// It is never zero, so an optional reference fits in one register.
    @usableFromInline let address: ObjectIdentifier

    @inlinable
    @inline(__always)
    package init(_ object: Object) { address = ObjectIdentifier(object) }

    /// Creates a reference from an address; returns `nil` for zero.
    @inlinable
    @inline(__always)
    init?(word: UInt) {
        // SAFETY: The identifier only stores the address, and nobody dereferences it here. Zero becomes `nil`.
        guard let address = unsafe unsafeBitCast(word, to: ObjectIdentifier?.self) else { return nil }
        self.address = address
    }

    /// The address as an integer, which is never zero.
    @inlinable
    @inline(__always)
    var word: UInt { UInt(bitPattern: address) }

    @inlinable
    @inline(__always)
    package static func == (left: Self, right: Self) -> Bool { left.address == right.address }

    // SAFETY: (of the members below) The caller knows what keeps the object alive.

    @inlinable
    @inline(__always)
    @unsafe var reference: Unmanaged<Object> {
        // The two types have the same representation. A conversion with the functions of `Unmanaged` would retain the object in between.
        unsafe unsafeBitCast(address, to: Unmanaged<Object>.self)
    }

    /// The object, as a strong reference.
    @inlinable
    @inline(__always)
    @unsafe package var object: Object { unsafe reference.takeUnretainedValue() }

    /// Calls a closure with the object, without retaining the object.
    @unsafe
    @inlinable
    @inline(__always)
    package func with<Result>(_ body: (Object) -> Result) -> Result {
        unsafe reference._withUnsafeGuaranteedRef { body($0) }
    }

    /// The same address, as that of an object of any class.
    var erased: Unretained<AnyObject> { unsafe with { Unretained<AnyObject>($0) } }

    /// Retains the object; `release()` must balance this call.
    @unsafe func retain() { _ = unsafe reference.retain() }

    /// Balances `retain()`.
    @unsafe func release() { unsafe reference.release() }
}

extension Unretained {
    /// `true` if the object's `deinit` has begun.
    ///
    /// Such an object must not be retained, and no first weak reference to it may be formed. This property does neither.
    @unsafe package var isBeingDestroyed: Bool {
        // SAFETY: The caller keeps the object's memory. The runtime function reads only the reference count there.
        unsafe UnsafeRawPointer(bitPattern: word).map { unsafe safekvo_is_deallocating($0) } ?? false
    }
}
