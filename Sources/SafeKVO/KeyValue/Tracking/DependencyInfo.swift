/// The registration of a tracked path with one of its dependencies.
///
/// A *tracked path* observes a key path whose value depends on other properties, its dependencies. An *info* is one registration with its
/// handler.
final class DependencyInfo: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the superclass guards its own state. `keepsPath` changes only after the last event has been handled.

    // SAFETY: (of the reference) this info retains the tracked path until the last event has been handled.
    private let path: Unretained<TrackedPath>
    private var keepsPath = true

    init(_ source: ObserverList, _ flags: InfoFlags, of path: TrackedPath) {
        self.path = Unretained(path)
        unsafe self.path.retain()
        let parts = InfoParts(
            list: source, owner: nil, flags: InfoFlags(.dependency).union(flags), extras: nil, position: .unknown, keyPath: nil)
        super.init(parts) { info, _, event in
            // SAFETY: the handler is only called with the info that this initializer creates.
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

struct Dependency {
    let info: ObservationInfo
    /// The newest serial number among the tracked path's own observers when the path registered with this dependency.
    ///
    /// A change that began before that time notifies these observers only.
    let followedAt: UInt32
    /// The requests of the tracked path to the dependency: calls before a change, old values or whole values.
    var interest: InfoFlags
    /// The serial number of the newest evaluation that read this dependency.
    var lastRead: UInt64

    func end() {
        info.end(for: .removed)
        // SAFETY: the info keeps its observer list alive.
        unsafe info.list.with { $0.count(interest, by: -1, isOfDependent: true) }
    }
}
