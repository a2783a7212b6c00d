/// The registration with which an observed key path follows a property that its getters read.
///
/// Such a property is a *dependency* of the key path. When it changes, the key path is evaluated again.
final class DependencyInfo: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the superclass guards its own state. The only other variable, `keepsPath`, is used only after the
    // last event has been handled, and in `deinit`.

    // SAFETY: (of the reference) this object retains the `TrackedPath` until the last event has been handled.
    private let path: Unretained<TrackedPath>
    private var keepsPath = true

    init(_ source: ObserverList, _ flags: InfoFlags, of path: TrackedPath) {
        self.path = Unretained(path)
        unsafe self.path.retain()
        let parts = InfoParts(
            list: source, owner: nil, flags: InfoFlags(.dependency).union(flags), extras: nil, position: .unknown, keyPath: nil)
        super.init(parts) { info, _, event in
            // SAFETY: `info` is always the object that this initializer creates.
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
    /// The serial number of the key path's newest observer when the key path began to follow this dependency.
    ///
    /// A change in progress at that moment notifies no later observers.
    let followedAt: UInt32
    /// What the key path's observers need from the dependency: calls before a change, old values or whole values.
    var interest: InfoFlags
    /// The serial number of the newest evaluation of the key path that read this dependency.
    var lastRead: UInt64

    func end() {
        info.end(for: .removed)
        info.withList { $0.count(interest, by: -1, isOfDependent: true) }
    }
}
