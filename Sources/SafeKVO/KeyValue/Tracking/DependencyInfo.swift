/// An observation that the library itself makes, so that a tracked path is notified when one of its dependencies changes.
///
/// A tracked path follows a key path whose value depends on other properties. An *info* is one registration in an observer list.
final class DependencyInfo: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the superclass guards its own state. `keepsPath` changes only when no call is running and none can
    // follow.

    // SAFETY: (of the reference) the info owns a reference to the tracked path. It releases the reference only when no call is running and
    // none can follow. So calls need not retain the path.
    private let path: Unretained<TrackedPath>
    private var keepsPath = true

    init(_ source: ObserverList, _ flags: InfoFlags, of path: TrackedPath) {
        self.path = Unretained(path)
        unsafe self.path.retain()
        let parts = InfoParts(
            list: source, owner: nil, flags: InfoFlags(.dependency).union(flags), extras: nil, position: .unknown, keyPath: nil)
        super.init(parts) { info, _, event in
            // SAFETY: this handler is only called with the info that is made here.
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

/// A property, or a key with manual notifications, on which the value of a tracked path depends.
struct Dependency {
    let info: ObservationInfo
    /// The serial number of the tracked path's newest observer at the time when the path began to follow this dependency.
    let followedAt: UInt32
    /// The services that the tracked path requests from the dependency's observer list: calls before a change, old values or whole values.
    var interest: InfoFlags
    /// The ticket of the newest evaluation that read this.
    ///
    /// A ticket is the number of an evaluation.
    var lastRead: UInt64

    func end() {
        info.end(for: .removed)
        // SAFETY: the info keeps its observer list alive.
        unsafe info.list.with { $0.count(interest, by: -1, isOfDependent: true) }
    }
}
