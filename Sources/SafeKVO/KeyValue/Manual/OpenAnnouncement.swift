internal import CSafeKVO
internal import Synchronization

/// A manual notification of one key path of one object, in progress on one thread.
///
/// Nested notifications of the key on the thread are counted in the same instance. Observers are notified when all these
/// notifications have ended. Until then, the object's ``ObservationRecord`` retains the instance.
///
/// The number of a thread is never given to another thread. So a notification whose thread has ended concerns no other
/// thread: it stays until the object is deallocated, and is then reported.
final class OpenAnnouncement: Announcement, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) only the thread that began the notification changes it, or a thread that has removed
    // it from the record. Other threads read `bareDepth` and `barePosition`, which the record's lock guards.

    /// The number of swallowed changes after which a missing end is reported.
    static let patience = 100

    let keyPath: AnyKeyPath
    let thread = safekvo_thread()

    /// The number of nested notifications that have not ended.
    ///
    /// It is zero while the end notifies the observers: then the notification is still one for other threads, and no more for its own.
    private(set) var depth = 0
    /// The number of them that `willChangeValue(for:)` began, whose `didChangeValue(for:)` may be forgotten.
    private var bareDepth = 0
    private var barePosition = SourcePosition.unknown

    /// The knowledge from before the change, which the end needs.
    var part: AnnouncementPart?
    /// `true` from the end of the calls before the change until a missing end is reported.
    var isReportable = false
    /// The number of changes that notified nobody since the first `willChangeValue(for:)` that has not been ended.
    private(set) var swallowed = 0

    init(_ keyPath: AnyKeyPath) { self.keyPath = keyPath }

    /// `true` if the key of a list is announced.
    func concerns(_ list: ObserverList) -> Bool { list.isAnnounced(by: keyPath) }

    /// Begins this notification or a nested one; `bare` is the position of a `willChangeValue(for:)`, nil in the other forms.
    func begin(bare: SourcePosition?) {
        depth += 1
        guard let bare else { return }
        if bareDepth == 0 { (barePosition, swallowed) = (bare, 0) }
        bareDepth += 1
    }

    /// Ends this notification or a nested one; returns `true` if neither this one nor a nested one is left.
    ///
    /// An unmatched `didChangeValue(for:)` has no effect.
    func end(isBare: Bool) -> Bool {
        if isBare {
            if bareDepth == 0 { return false }
            bareDepth -= 1
        }
        depth -= 1
        return depth == 0
    }

    /// Counts a change that is part of this notification, unless it is also part of a closure or a token, which counts as one change.
    func countChange() {
        if depth == bareDepth { swallowed += 1 }
    }

    /// The source position of the first `willChangeValue(for:)` that has not been ended, or `nil` if there is none.
    var unmatched: SourcePosition? { bareDepth > 0 ? barePosition : nil }

    override func subjectDidDie(_ record: ObservationRecord) {
        guard let begin = record.unmatchedBegin(of: self) else { return }
        record.warn(of: self, at: begin, "observers got no more changes from that thread")
    }

    /// Warns if the new observer gets no changes, because this thread has not called `didChangeValue(for:)`.
    override func observerDidRegister(in list: ObserverList, of record: ObservationRecord, at position: SourcePosition) {
        guard thread == safekvo_thread(), concerns(list), let begin = record.unmatchedBegin(of: self) else { return }
        record.warn(of: self, at: begin, "the observation at \(position) gets no changes from this thread")
    }
}

/// Manual notifications in progress.
///
/// No lock is held while key paths are compared, because the `==` of a subscript argument is code of the program.
extension ObservationRecord {
    private var open: [OpenAnnouncement] { openAnnouncements.compactMap { $0 as? OpenAnnouncement } }

    @inline(never)
    private func openHere(where isMeant: (OpenAnnouncement) -> Bool) -> OpenAnnouncement? {
        open.first { $0.thread == safekvo_thread() && $0.depth > 0 && isMeant($0) }
    }

    /// Returns `true` if this thread is inside a manual notification of the list's key, other than `other`.
    @inline(never)
    func isChangingHere(_ list: ObserverList, besides other: OpenAnnouncement? = nil) -> Bool {
        openHere { $0 !== other && $0.concerns(list) } != nil
    }

    /// Returns `true` if a change of the list's key is part of a manual notification on this thread, and counts the change.
    func swallowsChange(of list: ObserverList) -> Bool {
        guard let open = openHere(where: { $0.concerns(list) }) else { return false }
        countSwallowed(open)
        return true
    }

    /// Returns the manual notification of a key path that is in progress on this thread, or `nil`.
    func announcement(of keyPath: AnyKeyPath) -> OpenAnnouncement? { openHere { $0.keyPath.isSpelling(of: keyPath) } }

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
        let open = OpenAnnouncement(keyPath)
        lock.withLock {
            open.begin(bare: bare)
            // Other threads may be reading the former array.
            seldom.announcements = seldom.announcements + [open]
            announcementCount.wrappingAdd(1, ordering: .relaxed)
        }
        return (open, true)
    }

    /// Ends a manual notification of a key on this thread, or one that is nested in that notification.
    ///
    /// Returns `true` if no notification of the key is left on this thread, whose observers are then notified.
    func end(_ open: OpenAnnouncement, isBare: Bool) -> Bool { lock.withLock { open.end(isBare: isBare) } }

    /// Forgets a notification that has ended, and of which the observers have been notified.
    func forget(_ open: OpenAnnouncement) {
        lock.withLock {
            guard seldom.announcements.contains(where: { $0 === open }) else { return }
            seldom.announcements = seldom.announcements.filter { $0 !== open }
            announcementCount.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// Returns `true` if another thread is announcing the list's key.
    func isChangingElsewhere(_ list: ObserverList) -> Bool { open.contains { $0.thread != safekvo_thread() && $0.concerns(list) } }

    // MARK: Missing ends

    /// Returns the position of a `willChangeValue(for:)` on any thread that still lacks its `didChangeValue(for:)`.
    func unmatchedAnnouncement(of list: ObserverList) -> SourcePosition? {
        for open in open where open.concerns(list) {
            if let position = lock.withLock({ open.unmatched }) { return position }
        }
        return nil
    }

    private func countSwallowed(_ open: OpenAnnouncement) {
        open.countChange()
        if open.swallowed >= OpenAnnouncement.patience, let begin = unmatchedBegin(of: open) {
            warn(of: open, at: begin, "\(open.swallowed) changes on this thread have notified nobody")
        }
    }

    /// Returns the position of a notification's `willChangeValue(for:)` without its `didChangeValue(for:)`, once, to warn of it.
    func unmatchedBegin(of open: OpenAnnouncement) -> SourcePosition? {
        guard open.isReportable, let begin = lock.withLock({ open.unmatched }) else { return nil }
        open.isReportable = false
        return begin
    }

    @inline(never)
    func warn(of open: OpenAnnouncement, at begin: SourcePosition, _ consequence: String) {
        ObservationDiagnostics.warn(
            .abandonedAnnouncement, at: begin,
            """
            `willChangeValue(for:)` of `\(subjectType).\(name(of: open))` at \(begin) has not been followed by `didChangeValue(for:)`, so \
            \(consequence). Call it, or use `withChange(of:_:)` or `willChange(_:)`, which always end a change.
            """)
    }

    private func name(of open: OpenAnnouncement) -> String {
        var name: String?
        forEachList { if name == nil, open.concerns($0) { name = $0.name } }
        return name ?? open.keyPath.text
    }
}
