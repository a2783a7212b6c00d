/// A reference to an object that something else keeps alive, and the one place where such references become objects again.
///
/// Deliveries pass thousands of infos without taking a reference to each; this is how. It is marked `@safe` because each place that stores
/// one says in a `SAFETY:` line who keeps the object.
@safe
@usableFromInline
struct Unretained<Object: AnyObject> {
    // SAFETY: (of every `unsafe` below) whoever stores a value of this type keeps the object alive for as long.
    @usableFromInline let reference: Unmanaged<Object>

    @inlinable
    @inline(__always)
    init(_ object: Object) {
        unsafe reference = Unmanaged.passUnretained(object)
    }

    /// The reference whose bits these are; nil for zero.
    @inlinable
    @inline(__always)
    init?(word: UInt) {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: word) else { return nil }
        unsafe reference = Unmanaged.fromOpaque(pointer)
    }

    /// The reference as bits, never zero.
    @inlinable
    @inline(__always)
    var word: UInt { unsafe UInt(bitPattern: reference.toOpaque()) }

    /// The object, with a reference of its own.
    @inlinable
    @inline(__always)
    var object: Object { unsafe reference.takeUnretainedValue() }

    /// Uses the object without taking a reference.
    @inlinable
    @inline(__always)
    func with<Result>(_ body: (Object) -> Result) -> Result {
        unsafe reference._withUnsafeGuaranteedRef { body($0) }
    }

    /// The same reference without its type.
    var erased: Unretained<AnyObject> { with { Unretained<AnyObject>($0) } }

    /// Takes a reference by hand; `release()` must balance it.
    func retain() { _ = unsafe reference.retain() }

    /// Drops a reference that was taken by hand.
    func release() { unsafe reference.release() }
}

// SAFETY: of the reference, not of the object: what is done with the object afterwards is checked where it is done.
extension Unretained: @unchecked Sendable {}

extension Unretained: Equatable {
    @usableFromInline
    static func == (left: Self, right: Self) -> Bool { left.word == right.word }
}
