/// A change under way that affects the value of a tracked path.
///
/// Either a property that the path follows is changing, or a manual notification of a component of its key path is under way.
@usableFromInline
struct OpenChange {
    /// The address of the changing property's observer list, or of the manual notification.
    let dependency: UInt
    /// The address of the observer list that reports the end of the change to the tracked path.
    let list: UInt
    let meaning: Meaning

    /// The kind of a change under way.
    @usableFromInline
    enum Meaning {
        /// A property that the tracked path reads is changing.
        case change
        /// A property that the tracked path reads is about to change.
        ///
        /// Its own observers are being called before the change; the tracked path comes after them.
        case upcoming
        /// A manual notification of a component of the key path has begun.
        ///
        /// Until it ends, observers are not notified of other changes on the thread.
        case announcement
    }
    let thread: UInt
    /// The cutoff serial: observers with greater serial numbers registered too late to be notified of the change.
    @usableFromInline let limit: UInt32
    /// The value of the key path before the change, in an ``OldValue``; nil if no observer wants it.
    @usableFromInline let old: AnyObject?
    /// `true` if another change was held back, so that observers are notified of it at the end of this one.
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
