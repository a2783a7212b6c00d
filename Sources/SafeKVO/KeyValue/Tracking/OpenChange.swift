/// A change in progress, of a property or by manual notification, that affects the value of an observed key path.
@usableFromInline
struct OpenChange {
    /// Identifies the change when it ends: the address of the property's observer list, or of an ``OpenAnnouncement``.
    let dependency: UInt
    /// The address of the observer list that will report the end of the change.
    let list: UInt
    let meaning: Meaning

    @usableFromInline
    enum Meaning {
        case change
        /// A change that is about to begin. Observers that want a call before the change have not been called yet.
        case upcoming
        /// A manual notification whose end also delivers the changes that this thread makes while the notification is in progress.
        case announcement
    }
    let thread: UInt
    /// The change notifies observers up to this serial number.
    @usableFromInline let limit: UInt64
    /// The value of the key path before the change, in an ``OldValue``; nil if no observer wants the old value.
    @usableFromInline let old: AnyObject?
    /// `true` if other changes wait for the end of this manual notification, to be delivered then.
    var hasSwallowed = false

    init(dependency: UInt, via list: UInt, _ meaning: Meaning, thread: UInt, limit: UInt64, old: AnyObject?) {
        self.dependency = dependency
        self.list = list
        self.meaning = meaning
        self.thread = thread
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
