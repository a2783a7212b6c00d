/// A property, or what is announced by hand, that a tracked path depends on.
struct Dependency {
    let info: ObservationInfo
    /// What the list of the property counts as asked for, because it is asked for where the path leads.
    var interest: InfoFlags
    /// The newest evaluation that read it.
    var lastRead: UInt64

    func end() {
        info.end(for: .removed)
        info.list.with { $0.count(interest, by: -1) }
    }
}
