internal import CSafeKVO

/// A change in progress, of a property or by manual notification, that affects the value of an observed key path.
@usableFromInline
struct OpenChange {
    /// Identifies the change when it ends: the address of the observer list that reports the end.
    let dependency: UInt
    /// `true` if the change is about to begin, and observers that want a call before it have not been called yet.
    let isUpcoming: Bool
    let thread = safekvo_thread()
    /// The change notifies observers up to this serial number.
    @usableFromInline let limit: UInt64
    /// The value of the key path before the change, in an ``OldValue``; nil if no observer wants the old value.
    @usableFromInline let old: AnyObject?

    init(of dependency: UInt, isUpcoming: Bool = false, limit: UInt64, old: AnyObject?) {
        self.dependency = dependency
        self.isUpcoming = isUpcoming
        self.limit = limit
        self.old = old
    }

    @inlinable
    func oldValue<Value>(_ type: Value.Type) -> Value? { OldValue.value(in: old) }
}

@usableFromInline
final class OldValue<Value> {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }

    @inlinable
    static func value(in box: AnyObject?) -> Value? {
        // SAFETY: the box was made for a change of the same key path, so it holds a `Value`.
        box.map { unsafe unsafeDowncast($0, to: OldValue<Value>.self).value }
    }
}
