internal import CSafeKVO

/// A change of a key that was announced by hand to come and is not yet announced as made.
class OpenAnnouncement: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `depth` belongs to the lock of the record in whose list the announcement is; subclasses add
    // constants.

    /// The thread that announced it; nobody else's business.
    let thread = safekvo_thread()
    /// Who is heard from: those who were linked by then.
    let limit: UInt32
    /// Whether an assignment meanwhile is part of it.
    ///
    /// If not, an assignment is what it was about, and ends it: an announcement that is never ended must not swallow what comes later.
    let absorbsAssignments: Bool
    /// How many announcements of the key are nested, this one included.
    var depth = 1

    /// Where it was begun.
    let begin: AnnouncementPlace

    init(limit: UInt32, absorbsAssignments: Bool, at begin: AnnouncementPlace) {
        self.limit = limit
        self.absorbsAssignments = absorbsAssignments
        self.begin = begin
    }

    /// Whether whoever began this has gone without ending it, as an announcement at another place shows.
    func isAbandoned(by place: AnnouncementPlace) -> Bool { place.cannotBeInside(begin) }
}
