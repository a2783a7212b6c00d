/// The value of a key path after a change, whatever its type.
@usableFromInline
class LastValue {
    /// `true` if the value may be kept while the property changes that it is the value of.
    ///
    /// To keep another collection would make the change copy its elements. An empty one has none. And since all empty arrays are alike, an
    /// empty array that was made from another one seems to be passed on.
    let mayStay: Bool

    fileprivate init(mayStay: Bool) { self.mayStay = mayStay }
}

/// The value of a key after a change, kept until the next change makes it the old value.
@usableFromInline
class OldValue<Value>: LastValue {
    private let kept: Value?

    /// The value; nil if it was an object that has been deallocated, and the type is no optional.
    var value: Value? { kept }

    fileprivate init(kept: Value?) {
        self.kept = kept
        super.init(mayStay: _isPOD(Value.self) || kept.map { Bits.isOfEmptyCollection(Bits.word(of: $0)) } ?? true)
    }

    /// Keeps a value that an observer has asked for; it is kept strongly.
    @usableFromInline
    convenience init(_ value: Value) { self.init(kept: value) }

    /// Keeps a value until the next change; an object is kept weakly, so that it lives no longer than without observers.
    @usableFromInline
    static func last(_ value: Value) -> OldValue {
        if _isPOD(Value.self) { return OldValue(value) }
        return instance(value).map { WeakOldValue($0) } ?? OldValue(value)
    }

    private static func instance(_ value: Value) -> AnyObject? {
        if !_isOptional(Value.self), type(of: value as Any) is AnyClass { return value as AnyObject }
        // All holders consist of one reference.
        return MemoryLayout<Value>.size == MemoryLayout<UInt>.size ? (value as? any ObjectHolder)?.object : nil
    }

    @usableFromInline
    static func value(in box: AnyObject?) -> Value? {
        // SAFETY: the box was made for a change of the same key path, so it holds a `Value`.
        box.flatMap { unsafe unsafeDowncast($0, to: OldValue<Value>.self).value }
    }
}

private final class WeakOldValue<Value>: OldValue<Value> {
    private weak var instance: AnyObject?

    init(_ instance: AnyObject) {
        self.instance = instance
        super.init(kept: nil)
    }

    override var value: Value? {
        if let holder = Value.self as? any ObjectHolder.Type { return holder.holding(instance) as? Value }
        return instance as? Value
    }
}

/// Only `Optional` conforms.
@usableFromInline
protocol OptionalValue {
    static func event(passing source: PassedEvent, of subject: AnyObject, _ phase: KeyValueEventHeader.Phase) -> Any?
    /// The wrapped type.
    static var wrappedType: ObjectIdentifier { get }
}

/// A value that may hold an object, such as an optional.
package protocol ObjectHolder {
    /// The object, unless the value holds something else or nothing.
    var object: AnyObject? { get }

    /// Makes a value that holds an object, or nothing.
    static func holding(_ object: AnyObject?) -> Any
}
