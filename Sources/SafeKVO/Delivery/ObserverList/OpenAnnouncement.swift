internal import CSafeKVO
internal import Synchronization

/// A manual notification of one key of one object that has begun on one thread and has not ended.
///
/// The object's record keeps it. Notifications of the same key on the same thread that begin before it ends are counted here; the last one
/// that ends is the end of all.
final class OpenAnnouncement: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the depths and the position belong to the lock of the record. Everything else that changes belongs to
    // the thread that began it, as long as the record keeps it, and then to whoever took it out of the record.

    /// The forms in which a notification begins and ends.
    enum Form {
        /// A closure or a token, which cannot fail to end.
        case scoped
        /// One of two functions, of which the program may forget the second.
        case bare
    }

    let thread = safekvo_thread()
    private let mark = ThreadMark()
    let keyPath: AnyKeyPath

    private var scopedDepth = 0
    /// `true` if it began in a form that cannot fail to end.
    private(set) var isScoped = false
    private var bareDepth = 0
    /// The position of the bare call that is counted longest.
    private var barePosition = SourcePosition.unknown

    /// The lists that existed at the beginning, with what their observers are to be told.
    var parts: [AnnouncementPart] = []
    /// The serial number of the last observer of the object at the beginning.
    var limit: UInt32 = 0
    /// The number of lists that the object had at the beginning.
    var listCount: UInt32 = 0
    /// `true` if the calls before the change have been made.
    var isBegun = false
    /// `true` if it was reported that the end is missing.
    var isReported = false

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// Counts a beginning, under the record's lock.
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

    /// Counts an end, under the record's lock.
    ///
    /// A bare end without a bare beginning has no effect.
    ///
    /// - Returns: `true` if that was the end of all.
    func end(_ form: Form) -> Bool {
        switch form {
        case .scoped: scopedDepth -= 1
        case .bare:
            if bareDepth == 0 { return false }
            bareDepth -= 1
        }
        return scopedDepth == 0 && bareDepth == 0
    }

    /// `true` if the thread that began it has ended, so that nothing can end it any more, under the record's lock.
    var isLeftBehind: Bool { scopedDepth == 0 && mark.hasEnded }

    /// The position of the bare call whose end is missing, under the record's lock; nil if only closures and tokens are open.
    var unmatched: SourcePosition? { bareDepth > 0 ? barePosition : nil }
}

/// What remains of a thread when it has ended.
@safe
private struct ThreadMark: ~Copyable {
    // SAFETY: this owns a reference to the mark.
    private let mark = unsafe safekvo_retain_thread_mark()

    var hasEnded: Bool { unsafe mark.map { unsafe safekvo_thread_has_ended($0) } ?? false }

    deinit {
        if let mark = unsafe mark { unsafe safekvo_release_thread_mark(mark) }
    }
}

/// What a manual notification has to do with one list of observers.
class AnnouncementPart {
    let list: Unretained<ObserverList>
    /// The serial number of the last observer that is notified.
    let limit: UInt32

    init(_ list: Unretained<ObserverList>, limit: UInt32) {
        self.list = list
        self.limit = limit
    }
}

/// Manual notifications that are under way, and the end of the subject.
///
/// Key paths are compared outside the lock, because a subscript's arguments are compared by code of the program.
extension ObservationRecord {
    // SAFETY: (of the references) the record keeps its lists.

    /// `true` if a manual notification is under way, on whatever thread.
    ///
    /// One relaxed load: a thread always sees its own.
    @inline(__always)
    var hasAnnouncements: Bool { announcementCount.load(ordering: .relaxed) > 0 }

    /// The manual notifications that are under way on this thread.
    private var announcementsHere: [OpenAnnouncement] {
        if !hasAnnouncements { return [] }
        let thread = safekvo_thread()
        return lock.withLock { announcements.filter { $0.thread == thread } }
    }

    /// Returns the manual notification of a key path that is under way on this thread, if there is one.
    func announcement(of keyPath: AnyKeyPath) -> OpenAnnouncement? {
        announcementsHere.last { $0.keyPath.isSpelling(of: keyPath) }
    }

    /// Looks for a manual notification that concerns a list and is under way on this thread.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - other: A notification that does not count.
    /// - Returns: `true` if there is one.
    func isChangingHere(_ list: ObserverList, besides other: OpenAnnouncement? = nil) -> Bool {
        announcementsHere.contains { $0 !== other && list.isAnnounced(by: $0.keyPath) }
    }

    /// Begins a manual notification.
    ///
    /// - Returns: the notification of the key path that is under way on this thread now, and whether this is its beginning.
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
    /// - Returns: `true` if that was the outermost end. Then the record keeps it no longer, and the caller notifies the observers.
    func end(_ open: OpenAnnouncement, _ form: OpenAnnouncement.Form) -> Bool {
        lock.withLock {
            guard open.end(form), let index = announcements.lastIndex(where: { $0 === open }) else { return false }
            announcements.remove(at: index)
            announcementCount.wrappingSubtract(1, ordering: .relaxed)
            return true
        }
    }

    // MARK: Ends that are missing

    /// Returns the position of a bare `willChangeValue(for:)` that concerns a list and was not ended, on whatever thread.
    func unmatchedAnnouncement(of list: ObserverList) -> SourcePosition? {
        if !hasAnnouncements { return nil }
        closeAnnouncements(\.isLeftBehind)
        let open = lock.withLock { announcements.compactMap { open in open.unmatched.map { (open.keyPath, $0) } } }
        return open.first { list.isAnnounced(by: $0.0) }?.1
    }

    /// Reports, once, that a key is observed on a thread that has begun a change of it and has not ended that.
    ///
    /// An observer that registers in a call before the change is no reason for a report.
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

    /// Removes the manual notifications that nothing can end any more, and reports them.
    ///
    /// - Parameter isOver: Which they are: those of threads that have ended, or all when the subject is deallocated.
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

    /// Returns the name of a key path of the subject, for messages.
    private func name(of keyPath: AnyKeyPath) -> String {
        lists(announcedBy: keyPath).first.map { unsafe $0.object.name } ?? ObserverList.withoutRoot("\(keyPath)")
    }

    // MARK: The end of the subject

    /// Ends all observations, because the subject's stored properties are being destroyed.
    ///
    /// - Parameter lists: Lists that hang somewhere else.
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
