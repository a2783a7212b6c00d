/// A change of a dependency that is under way: announced to come, not yet done.
///
/// The dependency is a list, or an announcement by hand of something on the way that the path does not read.
@usableFromInline
struct OpenChange {
    /// What the dependency is: the address of the list or of the announcement.
    let dependency: UInt
    /// The address of the list through which the path hears of the end.
    let list: UInt
    let meaning: Meaning

    /// What a change means for the path.
    @usableFromInline
    enum Meaning {
        /// What the path reads changes.
        case change
        /// What the path reads is about to change: somebody is called before that, and the path has not been called yet.
        case upcoming
        /// The program announces a change of what the path leads through: what else changes meanwhile on the thread is part of it.
        case announcement
    }
    let thread: UInt
    /// Who is heard from.
    @usableFromInline let limit: UInt32
    /// The dependent's value before, if somebody wants it: an ``OldValue``.
    @usableFromInline let old: AnyObject?
    /// `true` if something has changed meanwhile that is left to its end.
    var hasSwallowed = false

    init(dependency: UInt, via list: UInt, _ meaning: Meaning, thread: UInt, limit: UInt32, old: AnyObject?) {
        self.dependency = dependency
        self.list = list
        self.meaning = meaning
        self.thread = thread
        self.limit = limit
        self.old = old
    }

    /// The dependent's value before, if somebody wanted it.
    @inlinable
    func oldValue<Value>(_ type: Value.Type) -> Value? {
        // SAFETY: the steps of one type of paths box the value and take it out.
        old.map { unsafe unsafeDowncast($0, to: OldValue<Value>.self).value }
    }
}

/// What a key path gave before a change.
@usableFromInline
final class OldValue<Value> {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
