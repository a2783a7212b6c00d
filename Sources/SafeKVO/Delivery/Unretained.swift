internal import CSafeKVO

/// The address of an object that something else keeps alive.
///
/// Deliveries pass thousands of infos without taking a reference to each; this is how. The address may be kept, compared and handed on by
/// anybody. Turning it into the object again is `unsafe`: each place that does so relies on somebody who keeps the object, and says who.
@usableFromInline
package struct Unretained<Object: AnyObject>: Sendable, Equatable {
    /// The address, which is never zero: so an optional reference needs one register, too.
    @usableFromInline let address: ObjectIdentifier

    @inlinable
    @inline(__always)
    package init(_ object: Object) { address = ObjectIdentifier(object) }

    /// The reference whose bits these are; nil for zero.
    @inlinable
    @inline(__always)
    init?(word: UInt) {
        // SAFETY: an identifier is an address, which nobody follows; none is zero.
        guard let address = unsafe unsafeBitCast(word, to: ObjectIdentifier?.self) else { return nil }
        self.address = address
    }

    /// The address as a word, never zero.
    @inlinable
    @inline(__always)
    var word: UInt { UInt(bitPattern: address) }

    @inlinable
    @inline(__always)
    package static func == (left: Self, right: Self) -> Bool { left.address == right.address }

    // SAFETY: (of what follows) the caller knows who keeps the object.

    @inlinable
    @inline(__always)
    @unsafe var reference: Unmanaged<Object> {
        // The two have one representation. To make the one of the other by way of a pointer would retain the object in between.
        unsafe unsafeBitCast(address, to: Unmanaged<Object>.self)
    }

    /// The object, with a reference of its own.
    @inlinable
    @inline(__always)
    @unsafe package var object: Object { unsafe reference.takeUnretainedValue() }

    /// Uses the object without taking a reference.
    @unsafe
    @inlinable
    @inline(__always)
    package func with<Result>(_ body: (Object) -> Result) -> Result {
        unsafe reference._withUnsafeGuaranteedRef { body($0) }
    }

    /// The same reference without its type.
    var erased: Unretained<AnyObject> { unsafe with { Unretained<AnyObject>($0) } }

    /// Takes a reference by hand; `release()` must balance it.
    @unsafe func retain() { _ = unsafe reference.retain() }

    /// Drops a reference that was taken by hand.
    @unsafe func release() { unsafe reference.release() }
}

extension Unretained {
    /// Whether the object has begun its `deinit`: then it may be neither retained nor referenced weakly for the first time.
    ///
    /// Asking the runtime does neither.
    @unsafe package var isBeingDestroyed: Bool {
        // SAFETY: the address of an object that the caller is using; only its reference count is looked at.
        unsafe UnsafeRawPointer(bitPattern: word).map { unsafe safekvo_is_deallocating($0) } ?? false
    }
}
