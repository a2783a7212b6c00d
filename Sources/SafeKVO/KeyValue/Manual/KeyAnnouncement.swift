internal import Synchronization

/// A manual notification of a key path, in progress on one thread.
final class KeyAnnouncement: OpenAnnouncement, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the superclass guards its own state, and the key path is constant.

    let keyPath: AnyKeyPath

    init(_ keyPath: AnyKeyPath) { self.keyPath = keyPath }

    override func concerns(_ list: ObserverList) -> Bool { list.isAnnounced(by: keyPath) }

    override var name: String { ObserverList.withoutRoot("\(keyPath)") }
}

extension ObservationRecord {
    /// Returns the manual notification of a key path that is in progress on this thread, or `nil`.
    func announcement(of keyPath: AnyKeyPath) -> OpenAnnouncement? {
        announcementsHere.last { ($0 as? KeyAnnouncement)?.keyPath.isSpelling(of: keyPath) ?? false }
    }

    /// Begins a manual notification of a key on this thread, and returns the outermost notification of the key.
    ///
    /// `bare` is the position of a `willChangeValue(for:)`, nil in the other forms. `isOutermost` is `false` if this call began a nested
    /// notification.
    func beginAnnouncement(of keyPath: AnyKeyPath, bare: SourcePosition?) -> (open: OpenAnnouncement, isOutermost: Bool) {
        if let open = announcement(of: keyPath) {
            countSwallowed(open)
            lock.withLock { open.begin(bare: bare) }
            return (open, false)
        }
        let open = KeyAnnouncement(keyPath)
        lock.withLock {
            open.begin(bare: bare)
            announcements.append(open)
            announcementCount.wrappingAdd(1, ordering: .relaxed)
        }
        return (open, true)
    }
}
