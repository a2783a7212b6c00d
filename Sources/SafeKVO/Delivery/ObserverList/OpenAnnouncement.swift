internal import CSafeKVO

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
