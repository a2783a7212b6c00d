/// A change that affects the value of an observed key path and has not ended yet.
///
/// It is a change of a property that the key path reads, or a manual notification of a component of the key path.
@usableFromInline
struct OpenChange {
    /// The address of the property's observer list, or of the ``OpenAnnouncement`` of a manual notification.
    ///
    /// At the end of the change, the same address identifies it.
    let dependency: UInt
    /// The address of the observer list that will report the end of the change.
    let list: UInt
    let meaning: Meaning

    @usableFromInline
    enum Meaning {
        /// A property that the key path reads is changing.
        case change
        /// A property that the key path reads is about to change; handlers that run before a change are called first.
        case upcoming
        /// A manual notification of a component of the key path has begun.
        ///
        /// Its end notifies the observers of all changes that this thread makes until then.
        case announcement
    }
    let thread: UInt
    /// The serial number of the newest registration that is notified of the change.
    @usableFromInline let limit: UInt32
    /// The value of the key path before the change, boxed in an ``OldValue``; nil if no observer wants it.
    @usableFromInline let old: AnyObject?
    /// `true` if this is a manual notification whose end must notify the observers of other changes, too.
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
