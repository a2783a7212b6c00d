/// A change of a dependency that is under way: announced to come, not yet done.
@usableFromInline
struct OpenChange {
    /// The list of the dependency.
    let dependency: UInt
    let thread: UInt
    /// Who is heard from.
    @usableFromInline let limit: UInt32
    /// The dependent's value before, if somebody wants it: an ``OldValue``.
    @usableFromInline let old: AnyObject?
    init(dependency: UInt, thread: UInt, limit: UInt32, old: AnyObject?) {
        self.dependency = dependency
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
