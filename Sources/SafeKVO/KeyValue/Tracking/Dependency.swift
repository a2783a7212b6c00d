/// A property, or what is announced by hand, that a tracked path depends on.
struct Dependency {
    let info: ObservationInfo
    /// The path's observers at the time when it began to depend on this, by their serial numbers.
    let followedAt: UInt32
    /// What the list of the property counts as asked for, because it is asked for where the path leads.
    var interest: InfoFlags
    /// The newest evaluation that read it.
    var lastRead: UInt64

    func end() {
        info.end(for: .removed)
        // SAFETY: an info of a dependency keeps its list as long as it lives.
        unsafe info.list.with { $0.count(interest, by: -1, isOfDependent: true) }
    }
}
