/// A change that is under way in a dependency of a tracked path.
///
/// The dependency is a list of observers, or a manual notification of a component of the key path that the path does not read.
@usableFromInline
struct OpenChange {
    /// The address of the observer list, or of the manual notification, whose change is under way.
    let dependency: UInt
    /// The address of the observer list from which the tracked path receives the end of the change.
    let list: UInt
    let meaning: Meaning

    /// The meaning of a change for the tracked path.
    @usableFromInline
    enum Meaning {
        /// A property that the tracked path reads is changing.
        case change
        /// A property that the tracked path reads is about to change.
        ///
        /// Handlers are being called before the change, and the path has not been notified yet.
        case upcoming
        /// The program has begun a manual notification of a component of the key path.
        ///
        /// Other changes on the thread are part of it until it ends.
        case announcement
    }
    let thread: UInt
    /// The serial number of the last observer that is notified of the change.
    @usableFromInline let limit: UInt32
    /// The value of the key path before the change, in an ``OldValue``; nil if no observer wants it.
    @usableFromInline let old: AnyObject?
    /// `true` if another change was made meanwhile, and observers are notified of it at the end of this one.
    var hasSwallowed = false

    init(dependency: UInt, via list: UInt, _ meaning: Meaning, thread: UInt, limit: UInt32, old: AnyObject?) {
        self.dependency = dependency
        self.list = list
        self.meaning = meaning
        self.thread = thread
        self.limit = limit
        self.old = old
    }

    /// Returns the value of the key path before the change; nil if no observer wants it.
    @inlinable
    func oldValue<Value>(_ type: Value.Type) -> Value? {
        // SAFETY: the value was boxed by the steps of the same path, which use the same type.
        old.map { unsafe unsafeDowncast($0, to: OldValue<Value>.self).value }
    }
}

/// A box for the value that a key path had before a change.
@usableFromInline
final class OldValue<Value> {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
