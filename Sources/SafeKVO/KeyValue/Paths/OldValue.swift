/// The value of a key path after a change, whatever its type.
@usableFromInline
class LastValue {
    /// `true` if the value may be kept while the property changes that it is the value of.
    ///
    /// To keep another collection would make the change copy its elements. An empty one has none. And since all empty arrays are alike, an
    /// empty array that was made from another one seems to be passed on.
    let mayStay: Bool

    @usableFromInline
    init(mayStay: Bool) { self.mayStay = mayStay }
}

/// The value of a key after a change, kept until the next change makes it the old value.
///
/// The subclasses store the value. None stores an optional, which would be looked up as a type at each use.
@usableFromInline
class OldValue<Value>: LastValue {
    /// The value; nil if it was an object that has been deallocated, and the type is no optional.
    @usableFromInline
    var value: Value? { preconditionFailure("Internal error of SafeKVO: `OldValue.value` has no override. Please report it.") }

    /// Keeps a value until the next change; an object is kept weakly, so that it lives no longer than without observers.
    @_alwaysEmitIntoClient
    static func last(_ value: Value) -> OldValue { _isPOD(Value.self) ? KeptValue(value) : lastOfAnyType(value) }

    @usableFromInline
    static func lastOfAnyType(_ value: Value) -> OldValue { instance(value).map { WeakOldValue($0) } ?? KeptValue(value) }

    private static func instance(_ value: Value) -> AnyObject? {
        if !_isOptional(Value.self), type(of: value as Any) is AnyClass { return value as AnyObject }
        // All holders consist of one reference.
        return MemoryLayout<Value>.size == MemoryLayout<UInt>.size ? (value as? any ObjectHolder)?.object : nil
    }

    @_alwaysEmitIntoClient
    static func value(in box: AnyObject?) -> Value? {
        guard let box else { return nil }
        // SAFETY: the box was made for a change of the same key path, so it holds a `Value`.
        return unsafe unsafeDowncast(box, to: OldValue<Value>.self).value
    }
}

/// A value that is kept strongly, such as one that an observer has asked for.
@usableFromInline
final class KeptValue<Value>: OldValue<Value> {
    @usableFromInline let kept: Value

    @_alwaysEmitIntoClient
    init(_ value: Value) {
        kept = value
        super.init(mayStay: _isPOD(Value.self) || SameBytes.isOfEmptyCollection(SameBytes.word(of: value)))
    }

    @usableFromInline
    override var value: Value? { kept }
}

private final class WeakOldValue<Value>: OldValue<Value> {
    private weak var instance: AnyObject?

    init(_ instance: AnyObject) {
        self.instance = instance
        super.init(mayStay: true)
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
