/// A change in progress that affects the value of an observed key path.
///
/// Either a property that the key path reads is changing, or a component of the key path is being notified manually.
@usableFromInline
struct OpenChange {
    /// A number that identifies the change: the address of the changing property's observer list, or of the manual notification.
    let dependency: UInt
    /// The address of the observer list that will report the end of the change.
    let list: UInt
    let meaning: Meaning

    @usableFromInline
    enum Meaning {
        /// A property that the key path reads is changing.
        case change
        /// A property that the key path reads is about to change, and the property's own observers are being called before the change.
        case upcoming
        /// A manual notification of a component of the key path has begun.
        ///
        /// Until it ends, other changes on this thread do not notify the observers of the key path.
        case announcement
    }
    let thread: UInt
    /// The cutoff serial: observers with greater serial numbers registered too late to be notified of the change.
    @usableFromInline let limit: UInt32
    /// The value of the key path before the change, boxed in an ``OldValue``; nil if no observer wants it.
    @usableFromInline let old: AnyObject?
    /// `true` if the key path changed again during this change; observers are notified of both at the end of this change.
    var hasSwallowed = false

    init(dependency: UInt, via list: UInt, _ meaning: Meaning, thread: UInt, limit: UInt32, old: AnyObject?) {
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

/// A box for the value that a key path had before a change.
@usableFromInline
final class OldValue<Value> {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }

    @inlinable
    static func value(in box: AnyObject?) -> Value? {
        // SAFETY: the same key made this box, with the type of its values.
        box.map { unsafe unsafeDowncast($0, to: OldValue<Value>.self).value }
    }
}
