/// A change of a key path of a known type that was announced by hand to come.
final class ManualAnnouncement<Value>: OpenAnnouncement, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) constants; only the thread that made it uses them.

    let change: AnnouncedChange<Value>
    /// What the change means for the value that it began with.
    let plan: AnnouncedChange<Value>.Plan?
    /// The whole value at the beginning, if somebody wants old values.
    let old: Value?

    init(
        _ change: AnnouncedChange<Value>, plan: AnnouncedChange<Value>.Plan?, old: Value?, limit: UInt32, assignments: Int,
        at begin: AnnouncementPlace
    ) {
        self.change = change
        self.plan = plan
        self.old = old
        super.init(limit: limit, assignments: assignments, at: begin)
    }
}
