internal import CSafeKVO

/// The address of an object that something else keeps alive; saves retains and releases.
@usableFromInline
package struct Unretained<Object: AnyObject>: Sendable, Equatable {
    /// Is never zero, so that an optional `Unretained` also fits in one word.
    @usableFromInline let address: ObjectIdentifier

    @_alwaysEmitIntoClient
    @inline(__always)
    package init(_ object: Object) { address = ObjectIdentifier(object) }

    private init(address: ObjectIdentifier) { self.address = address }

    @_alwaysEmitIntoClient
    @inline(__always)
    init?(word: UInt) {
        // SAFETY: the two types have one word each, and a zero word becomes `nil`. The address is not dereferenced
        // here.
        guard let address = unsafe unsafeBitCast(word, to: ObjectIdentifier?.self) else { return nil }
        self.address = address
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    var word: UInt { UInt(bitPattern: address) }

    @_alwaysEmitIntoClient
    @inline(__always)
    package static func == (left: Self, right: Self) -> Bool { left.address == right.address }

    // SAFETY: (of the members below that use the object) the caller keeps the object alive.

    @_alwaysEmitIntoClient
    @inline(__always)
    @unsafe var reference: Unmanaged<Object> {
        // A bit cast needs no retain, unlike the functions of `Unmanaged`. The two types have the same representation.
        unsafe unsafeBitCast(address, to: Unmanaged<Object>.self)
    }

    @_alwaysEmitIntoClient
    @inline(__always)
    @unsafe package var object: Object { unsafe reference.takeUnretainedValue() }

    /// Calls a closure with the object, without retaining the object.
    @unsafe
    @_alwaysEmitIntoClient
    @inline(__always)
    package func with<Result>(_ body: (Object) -> Result) -> Result {
        unsafe reference._withUnsafeGuaranteedRef { body($0) }
    }

    var erased: Unretained<AnyObject> { Unretained<AnyObject>(address: address) }

    @unsafe func retain() { _ = unsafe reference.retain() }

    @unsafe func release() { unsafe reference.release() }

    /// Keeps the memory of the object, also after its deallocation, until `releaseMemory()`; only for objects that Swift counts.
    @unsafe func retainMemory() { unsafe swift_unownedRetain(reference.toOpaque()) }

    @unsafe func releaseMemory() { unsafe swift_unownedRelease(reference.toOpaque()) }

    var identity: ObjectIdentifier { address }

    /// The object, or `nil` if its deallocation has begun; the caller keeps its memory.
    @unsafe
    @inline(__always)
    var living: Object? {
        // SAFETY: the runtime retains the object in one atomic step, or returns null if the object is being deallocated.
        unsafe swift_tryRetain(reference.toOpaque()).map { unsafe Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
    }

    /// Returns the object, and passes on the reference that `retain()` made.
    @unsafe
    @inline(__always)
    func takeRetained() -> Object { unsafe reference.takeRetainedValue() }
}

extension Unretained {
    /// `true` if the object's `deinit` has begun.
    ///
    /// Such an object must not be retained or referenced weakly.
    @unsafe package var isBeingDestroyed: Bool {
        // SAFETY: the caller keeps the object's memory. The runtime function reads only the reference count there.
        unsafe UnsafeRawPointer(bitPattern: word).map { unsafe safekvo_is_deallocating($0) } ?? false
    }
}

/// Returns `true` if the object's `deinit` has begun.
///
/// The function does not retain the object.
package func isBeingDestroyed(_ object: AnyObject) -> Bool {
    // SAFETY: the caller has a reference to the object, so the object's memory is allocated.
    unsafe Unretained(object).isBeingDestroyed
}
