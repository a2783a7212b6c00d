extension ObservationRecord {
    /// Ends all observations of the object, because the object is being deallocated.
    ///
    /// - Parameter lists: Observer lists of the object that this record does not contain.
    package func subjectDidDie(lists: [ObserverList] = []) {
        let left = lock.withLock {
            defer { seldomIfUsed?.announcements = [] }
            isDead = true
            return seldomIfUsed?.announcements
        }
        for open in left ?? [] { open.subjectDidDie(self) }
        func end(_ list: ObserverList) { for info in list.infos() { info.end(for: .objectDeinitialized) } }
        for list in lists { end(list) }
        forEachList(end)
    }
}

/// A change of a key that was announced before it is made, and whose end is not announced yet.
class Announcement {
    /// Called when the observed object is being deallocated.
    func subjectDidDie(_ record: ObservationRecord) {}

    /// Called when any thread has registered an observer in a list of the record.
    func observerDidRegister(in list: ObserverList, of record: ObservationRecord, at position: SourcePosition) {}
}
