/// An observation of the library's own: a path hears of the changes of what it depends on.
final class DependencyInfo: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) see ``ObservationInfo``.

    // SAFETY: (of the reference) the info owns one to the path, from its making until no call is inside and none will be; only then it is
    // changed, so that calls need not retain it.
    private let path: Unretained<TrackedPath>
    private var keepsPath = true

    init(_ source: ObserverList, _ flags: InfoFlags, of path: TrackedPath) {
        self.path = Unretained(path)
        unsafe self.path.retain()
        let parts = InfoParts(
            list: source, owner: nil, flags: InfoFlags(.dependency).union(flags), extras: nil, position: .unknown, keyPath: nil)
        super.init(parts) { info, _, event in
            // SAFETY: the info is the one made here.
            let info = unsafe unsafeDowncast(info, to: DependencyInfo.self)
            guard let event else {
                info.releasePath()
                return true
            }
            return unsafe info.path.with { $0.dependencyChanged(info, event) }
        }
    }

    deinit { releasePath() }

    private func releasePath() {
        guard keepsPath else { return }
        keepsPath = false
        unsafe path.release()
    }
}

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
