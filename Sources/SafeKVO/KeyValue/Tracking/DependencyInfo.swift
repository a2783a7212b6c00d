/// The registration of an observed key path with a *dependency*, a property that the key path's getters read.
///
/// When the dependency changes, the key path is evaluated again.
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
            return unsafe info.path.with { $0.dependencyChanged(info, event) }
        }
    }

    deinit { releaseHandler() }

    /// The key path that depends on the property; nil if it no longer does.
    var follower: TrackedPath? { ifKept { unsafe path.object } }

    package override func releaseHandler() {
        guard keepsPath else { return }
        keepsPath = false
        unsafe path.release()
    }
}

extension ObserverList {
    /// The key paths that depend on the property of this list.
    var followers: [TrackedPath] { infos().compactMap { ($0 as? DependencyInfo)?.follower } }
}

struct Dependency {
    let info: ObservationInfo
    /// The serial number of the key path's newest observer at the moment when this dependency was added.
    ///
    /// If the dependency was being changed at that moment, that change notifies only the observers up to this number.
    let followedAt: UInt64
    var interest: InfoFlags
    /// The serial number of the newest evaluation that read this dependency.
    var lastRead: UInt64

    func end() {
        info.end(for: .removed)
        info.withList { $0.count(interest, by: -1, isOfDependent: true) }
    }
}
