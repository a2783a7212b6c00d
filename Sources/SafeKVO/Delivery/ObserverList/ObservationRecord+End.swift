extension ObservationRecord {
    /// Ends all observations of the object, because the object is being deallocated.
    ///
    /// - Parameter lists: Observer lists of the object that this record does not contain.
    package func subjectDidDie(lists: [ObserverList] = []) {
        let left = lock.withLock {
            defer { announcements = [] }
            isDead = true
            return announcements
        }
        for open in left { warn(of: open, "observers got no more changes from that thread") }
        func end(_ list: ObserverList) { for info in list.infos() { info.end(for: .objectDeinitialized) } }
        for list in lists { end(list) }
        forEachList(end)
    }
}
