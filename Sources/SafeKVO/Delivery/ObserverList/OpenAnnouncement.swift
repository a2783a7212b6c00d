internal import CSafeKVO

/// A change of a key that was announced by hand to come and is not yet announced as made.
class OpenAnnouncement: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) what changes belongs to the lock of the record in whose list the announcement is; subclasses add
    // constants.

    /// The thread that announced it; nobody else's business.
    let thread = safekvo_thread()
    /// Who is heard from: those who were linked by then.
    let limit: UInt32
    /// How many assignments are part of it, at most.
    ///
    /// One more is what it was about, and ends it: an announcement that is never ended must not swallow what comes later.
    private var remainingAssignments: Int
    /// How many announcements of the key are nested, this one included.
    private var depth = 1
    /// Where the last one inside began.
    ///
    /// A second from the same place, once the first is over, is taken to be no part of this but to follow it, forgotten as it is.
    private var lastInside: AnnouncementPlace?

    /// Where it was begun.
    let begin: AnnouncementPlace

    init(limit: UInt32, assignments: Int, at begin: AnnouncementPlace) {
        self.limit = limit
        remainingAssignments = assignments
        self.begin = begin
    }

    /// What an announcement of a function that announces the end itself takes: any number.
    static let allAssignments = Int.max

    /// Whether it is certain to be ended.
    var isScoped: Bool { remainingAssignments == Self.allAssignments }

    /// Takes an assignment as part of this.
    ///
    /// - Returns: false if it is one too many.
    func takeAssignment() -> Bool {
        if isScoped { return true }
        if remainingAssignments == 0 { return false }
        remainingAssignments -= 1
        return true
    }

    /// Takes another announcement as one inside this.
    ///
    /// - Returns: false if whoever began this has gone without ending it, as the place of the other shows.
    func nest(_ place: AnnouncementPlace) -> Bool {
        if !isScoped, place.cannotBeInside(begin) || lastInside.map({ place.isSame(as: $0) }) ?? false { return false }
        depth += 1
        lastInside = place
        return true
    }

    /// Ends this, or one inside.
    ///
    /// - Returns: whether this has ended.
    func end() -> Bool {
        depth -= 1
        return depth == 0
    }
}
