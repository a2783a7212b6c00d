/// What a manual notification of a value of a known type has to do with one list of observers.
final class ManualAnnouncement<Value>: AnnouncementPart {
    let change: AnnouncedChange<Value>
    /// The meaning of the change for the value at the beginning.
    let plan: AnnouncedChange<Value>.Plan?
    /// The whole value at the beginning, if an observer wants old values.
    let old: Value?

    init(
        _ change: AnnouncedChange<Value>, of list: Unretained<ObserverList>, limit: UInt32, plan: AnnouncedChange<Value>.Plan? = nil,
        old: Value? = nil
    ) {
        self.change = change
        self.plan = plan
        self.old = old
        super.init(list, limit: limit)
    }
}
