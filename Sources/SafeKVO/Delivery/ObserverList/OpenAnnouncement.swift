internal import CSafeKVO
internal import Synchronization

/// A manual notification of one key of one object that has begun on one thread and has not ended.
///
/// The object's record keeps it. A notification of the same key on the same thread that begins before this one ends is counted here as
/// nested. The last end is the end of the whole notification.
final class OpenAnnouncement: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) The record's lock guards the depths and the position. Everything else that changes belongs to the
    // thread that began the notification, as long as the record keeps it. After that it belongs to the thread that removed it from the
    // record.

    /// The two forms in which the program begins and ends a notification.
    enum Form {
        /// A closure or a token; both forms always end the notification.
        case scoped
        /// A call of `willChangeValue(for:)` and one of `didChangeValue(for:)`; the program may forget the second call.
        case bare
    }

    let thread = safekvo_thread()
    private let mark = ThreadMark()
    let keyPath: AnyKeyPath

    private var scopedDepth = 0
    /// `true` if the notification began with a closure or a token, which always ends it.
    private(set) var isScoped = false
    private var bareDepth = 0
    /// The position of the earliest bare call that has not been ended.
    private var barePosition = SourcePosition.unknown

    /// The lists that existed when the notification began, each with the change that its observers will be notified of.
    var parts: [AnnouncementPart] = []
    /// The cutoff serial: observers of the object that were registered after it are not notified.
    var limit: UInt32 = 0
    /// The number of the object's lists when the notification began.
    var listCount: UInt32 = 0
    /// `true` if the calls before the change have been made.
    var isBegun = false
    /// `true` if the missing end has been reported.
    var isReported = false

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// Counts the beginning of this notification, or of one that is nested in it.
    ///
    /// The caller must hold the record's lock.
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

    /// Counts the end of this notification, or of one that is nested in it.
    ///
    /// The caller must hold the record's lock. A bare end without a bare beginning has no effect.
    ///
    /// - Returns: `true` if that was the last end.
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
    ///
    /// The caller must hold the record's lock.
    var isLeftBehind: Bool { scopedDepth == 0 && mark.hasEnded }

    /// The position of the earliest bare beginning that has no end; `nil` if only closures and tokens are open.
    ///
    /// The caller must hold the record's lock.
    var unmatched: SourcePosition? { bareDepth > 0 ? barePosition : nil }
}

/// A reference to a mark that outlives its thread and tells whether the thread has ended.
@safe
private struct ThreadMark: ~Copyable {
    // SAFETY: This object owns a reference to the mark.
    private let mark = unsafe safekvo_retain_thread_mark()

    var hasEnded: Bool { unsafe mark.map { unsafe safekvo_thread_has_ended($0) } ?? false }

    deinit {
        if let mark = unsafe mark { unsafe safekvo_release_thread_mark(mark) }
    }
}

/// The part of a manual notification that concerns one observer list.
class AnnouncementPart {
    let list: Unretained<ObserverList>
    /// The cutoff serial: observers that were registered after it are not notified.
    let limit: UInt32

    init(_ list: Unretained<ObserverList>, limit: UInt32) {
        self.list = list
        self.limit = limit
    }
}

/// The manual notifications in progress, and the end of the observed object.
///
/// Key paths are compared outside the lock, because the comparison of subscript arguments runs code of the program.
extension ObservationRecord {
    // SAFETY: (of the references) The record keeps its lists alive.

    /// `true` if a manual notification is in progress on any thread.
    ///
    /// One relaxed load is enough: a thread always sees its own notifications.
    @inline(__always)
    var hasAnnouncements: Bool { announcementCount.load(ordering: .relaxed) > 0 }

    /// The manual notifications in progress on this thread.
    private var announcementsHere: [OpenAnnouncement] {
        if !hasAnnouncements { return [] }
        let thread = safekvo_thread()
        return lock.withLock { announcements.filter { $0.thread == thread } }
    }

    /// Returns the manual notification of a key path that is in progress on this thread, or `nil`.
    func announcement(of keyPath: AnyKeyPath) -> OpenAnnouncement? {
        announcementsHere.last { $0.keyPath.isSpelling(of: keyPath) }
    }

    /// Checks whether a manual notification that concerns a list is in progress on this thread.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - other: A notification to ignore.
    /// - Returns: `true` if there is one.
    func isChangingHere(_ list: ObserverList, besides other: OpenAnnouncement? = nil) -> Bool {
        announcementsHere.contains { $0 !== other && list.isAnnounced(by: $0.keyPath) }
    }

    /// Begins a manual notification.
    ///
    /// - Returns: The notification of the key path that is in progress on this thread, and `true` if this call began it.
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

    /// Ends a manual notification.
    ///
    /// - Returns: `true` if that was the outermost end. Then the record has released the notification, and the caller must notify the
    ///   observers.
    func end(_ open: OpenAnnouncement, _ form: OpenAnnouncement.Form) -> Bool {
        lock.withLock {
            guard open.end(form), let index = announcements.lastIndex(where: { $0 === open }) else { return false }
            announcements.remove(at: index)
            announcementCount.wrappingSubtract(1, ordering: .relaxed)
            return true
        }
    }

    // MARK: Missing ends

    /// Returns the position of a bare `willChangeValue(for:)` that concerns a list and has not been ended, on any thread.
    func unmatchedAnnouncement(of list: ObserverList) -> SourcePosition? {
        if !hasAnnouncements { return nil }
        closeAnnouncements(\.isLeftBehind)
        let open = lock.withLock { announcements.compactMap { open in open.unmatched.map { (open.keyPath, $0) } } }
        return open.first { list.isAnnounced(by: $0.0) }?.1
    }

    /// Reports, once, that a key is observed on a thread that has begun a change of this key and has not ended it.
    ///
    /// An observer that is registered inside a call before the change is not reported.
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

    /// Removes the manual notifications that nothing can end, and reports them.
    ///
    /// - Parameter isOver: Returns `true` for a notification to remove. Either its thread has ended, or the observed object is being
    ///   deallocated.
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

    /// Returns the name of a key path of the observed object, for messages.
    private func name(of keyPath: AnyKeyPath) -> String {
        lists(announcedBy: keyPath).first.map { unsafe $0.object.name } ?? ObserverList.withoutRoot("\(keyPath)")
    }

    // MARK: The end of the observed object

    /// Ends all observations, because the stored properties of the observed object are being destroyed.
    ///
    /// - Parameter lists: Lists that the record does not keep.
    package func subjectDidDie(lists: [ObserverList] = []) {
        lock.withLock { isDead = true }
        if hasAnnouncements { closeAnnouncements { _ in true } }
        for list in lists {
            for info in list.infos() { info.end(for: .objectDeinitialized) }
        }
        forEachList { list in
            for info in unsafe list.object.infos() { info.end(for: .objectDeinitialized) }
        }
        pulled.forEach { list in
            for info in unsafe list.object.infos() { info.end(for: .objectDeinitialized) }
        }
    }
}
