internal import CSafeKVO
internal import Synchronization

/// A manual notification of one key of one object, in progress on one thread.
///
/// Nested notifications of the key on the thread are counted in the same instance. Observers are notified when all these
/// notifications have ended. Until then, the object's ``ObservationRecord`` retains the instance.
final class OpenAnnouncement: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the record's lock guards `scopedDepth`, `bareDepth` and `barePosition`. Only the
    // thread that began the notification uses the other variables, or another thread that has removed the notification
    // from the record.

    enum Form {
        /// A notification by a closure or a token, whose end cannot be forgotten.
        case scoped
        /// A notification by `willChangeValue(for:)`, whose `didChangeValue(for:)` may be forgotten.
        case bare
    }

    let thread = safekvo_thread()
    private let mark = ThreadMark()
    let keyPath: AnyKeyPath

    private var scopedDepth = 0
    private(set) var isScoped = false
    private var bareDepth = 0
    private var barePosition = SourcePosition.unknown

    var parts: [AnnouncementPart] = []
    /// The newest serial number when the notification began; later observers are not notified.
    var limit: UInt64 = 0
    var listCount: UInt32 = 0
    /// `true` after the calls that observers with the option `.prior` get before the change.
    var isBegun = false
    var isReported = false

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    func begin(_ form: Form, at position: SourcePosition) {
        switch form {
        case .scoped:
            if bareDepth == 0 { isScoped = true }
            scopedDepth += 1
        case .bare:
            if bareDepth == 0 { barePosition = position }
            bareDepth += 1
        }
    }

    /// Ends this notification or a nested one; returns `true` if neither this one nor a nested one is left.
    ///
    /// An unmatched `didChangeValue(for:)` has no effect.
    func end(_ form: Form) -> Bool {
        switch form {
        case .scoped: scopedDepth -= 1
        case .bare:
            if bareDepth == 0 { return false }
            bareDepth -= 1
        }
        return scopedDepth == 0 && bareDepth == 0
    }

    /// `true` if the thread that began the notification has ended, so that nothing can end the notification.
    var isLeftBehind: Bool { scopedDepth == 0 && mark.hasEnded }

    /// The source position of the first `willChangeValue(for:)` that has not been ended, or `nil` if there is none.
    var unmatched: SourcePosition? { bareDepth > 0 ? barePosition : nil }
}

/// A reference to a C object that outlives a thread and shows whether the thread has ended.
@safe
private struct ThreadMark: ~Copyable {
    // SAFETY: this value owns a reference to the C object.
    private let mark = unsafe safekvo_retain_thread_mark()

    var hasEnded: Bool { unsafe safekvo_thread_has_ended(mark) }

    deinit { unsafe safekvo_release_thread_mark(mark) }
}

class AnnouncementPart {
    let list: Unretained<ObserverList>
    let limit: UInt64

    init(_ list: Unretained<ObserverList>, limit: UInt64) {
        self.list = list
        self.limit = limit
    }
}

/// Manual notifications in progress, and the deallocation of the observed object.
///
/// No lock is held while key paths are compared, because the `==` of a subscript argument is code of the program.
extension ObservationRecord {
    /// `true` if a manual notification of a key of the object is in progress.
    ///
    /// A relaxed load is enough, because a caller relies only on the notifications that its own thread began.
    @inline(__always)
    var hasAnnouncements: Bool { announcementCount.load(ordering: .relaxed) > 0 }

    private var announcementsHere: [OpenAnnouncement] {
        if !hasAnnouncements { return [] }
        let thread = safekvo_thread()
        return lock.withLock { announcements.filter { $0.thread == thread } }
    }

    /// Returns the manual notification of a key path that is in progress on this thread, or `nil`.
    func announcement(of keyPath: AnyKeyPath) -> OpenAnnouncement? {
        announcementsHere.last { $0.keyPath.isSpelling(of: keyPath) }
    }

    /// Returns `true` if this thread is inside a manual notification of the list's key, other than `other`.
    func isChangingHere(_ list: ObserverList, besides other: OpenAnnouncement? = nil) -> Bool {
        announcementsHere.contains { $0 !== other && list.isAnnounced(by: $0.keyPath) }
    }

    /// Begins a manual notification of a key on this thread, and returns the outermost notification of the key.
    ///
    /// `isOutermost` is `false` if this call began a nested notification.
    func beginAnnouncement(
        of keyPath: AnyKeyPath, _ form: OpenAnnouncement.Form, at position: SourcePosition
    ) -> (open: OpenAnnouncement, isOutermost: Bool) {
        if let open = announcement(of: keyPath) {
            lock.withLock { open.begin(form, at: position) }
            return (open, false)
        }
        if hasAnnouncements { closeAnnouncements(\.isLeftBehind) }
        let open = OpenAnnouncement(keyPath)
        lock.withLock {
            open.begin(form, at: position)
            announcements.append(open)
            announcementCount.wrappingAdd(1, ordering: .relaxed)
        }
        return (open, true)
    }

    /// Ends a manual notification of a key on this thread, or one that is nested in that notification.
    ///
    /// Returns `true` if no notification of the key is left on this thread. The caller must then notify the observers.
    func end(_ open: OpenAnnouncement, _ form: OpenAnnouncement.Form) -> Bool {
        lock.withLock {
            guard open.end(form), let index = announcements.lastIndex(where: { $0 === open }) else { return false }
            announcements.remove(at: index)
            announcementCount.wrappingSubtract(1, ordering: .relaxed)
            return true
        }
    }

    // MARK: Missing ends

    /// Returns the position of a `willChangeValue(for:)` on any thread that still lacks its `didChangeValue(for:)`.
    func unmatchedAnnouncement(of list: ObserverList) -> SourcePosition? {
        if !hasAnnouncements { return nil }
        closeAnnouncements(\.isLeftBehind)
        let open = lock.withLock { announcements.compactMap { open in open.unmatched.map { (open.keyPath, $0) } } }
        return open.first { list.isAnnounced(by: $0.0) }?.1
    }

    /// Warns once if new observers get no changes, because this thread has not called `didChangeValue(for:)`.
    func warnOfOpenAnnouncement(of list: ObserverList, at position: SourcePosition) {
        for open in announcementsHere where open.isBegun && !open.isReported && list.isAnnounced(by: open.keyPath) {
            guard let begin = lock.withLock({ open.unmatched }) else { continue }
            open.isReported = true
            ObservationDiagnostics.warn(
                .abandonedAnnouncement, at: begin,
                """
                The observation of `\(list.qualifiedName)` at \(position) gets no changes from this thread, because `willChangeValue(for:)` at \
                \(begin) has not been followed by `didChangeValue(for:)`. \(Self.cure)
                """)
        }
    }

    private static let cure = "Call it, or use `withChange(of:_:)` or `willChange(_:)`, which always end a change."

    /// Removes manual notifications that can no longer end, and warns about each unmatched `willChangeValue(for:)`.
    private func closeAnnouncements(_ isOver: (OpenAnnouncement) -> Bool) {
        let closed = lock.withLock {
            let closed = announcements.filter(isOver).map { (open: $0, begin: $0.unmatched) }
            if !closed.isEmpty { announcements.removeAll(where: { open in closed.contains { $0.open === open } }) }
            announcementCount.store(announcements.count, ordering: .relaxed)
            return closed
        }
        for case (let open, let begin?) in closed {
            ObservationDiagnostics.warn(
                .abandonedAnnouncement, at: begin,
                """
                `willChangeValue(for:)` of `\(subjectType).\(name(of: open.keyPath))` at \(begin) was never followed by `didChangeValue(for:)`, so \
                observers got no more changes from that thread. \(Self.cure)
                """)
        }
    }

    private func name(of keyPath: AnyKeyPath) -> String {
        var name: String?
        forEachList { if name == nil, $0.isAnnounced(by: keyPath) { name = $0.name } }
        return name ?? ObserverList.withoutRoot("\(keyPath)")
    }

    // MARK: The end of the observed object

    /// Ends all observations of the object, because the object is being deallocated.
    ///
    /// - Parameter lists: Observer lists of the object that this record does not contain.
    package func subjectDidDie(lists: [ObserverList] = []) {
        lock.withLock { isDead = true }
        if hasAnnouncements { closeAnnouncements { _ in true } }
        func end(_ list: ObserverList) { for info in list.infos() { info.end(for: .objectDeinitialized) } }
        for list in lists { end(list) }
        forEachList(end)
        pulled.forEach(end)
    }
}
