internal import Synchronization

/// The events that threads leave to others that are calling the observer, or to the one that resumes the controller.
extension ObservationRecord {
    /// Leaves an event to the thread that is calling the observer.
    ///
    /// The caller is counted in at the info. The subject is kept until the event is delivered, unless the controller is paused: then only the newest event
    /// waits, without the subject.
    ///
    /// - Returns: events that need not be delivered, this one or those before, to be released outside the lock.
    func leave(_ event: EventBox, for info: ObservationInfo) -> [EventBox] {
        let bare = (event as? KeptEventBox)?.event ?? event
        let kept = KeptEventBox(bare, subjectOfDelivery)
        let older = lock.withLock {
            let isPaused = InfoState(info.state.load(ordering: .relaxed)).isPaused
            return append(isPaused ? bare : kept, bare.number, for: info, keepingNewest: isPaused)
        }
        return withExtendedLifetime(kept) { older }
    }

    private func append(_ event: EventBox, _ number: UInt64, for info: ObservationInfo, keepingNewest: Bool) -> [EventBox] {
        let known = mail.firstIndex { $0.info == ObjectIdentifier(info) }
        if known == nil { mail.append(InfoStart(info)) }
        info.state.bitwiseOr(InfoState.mail, ordering: .acquiringAndReleasing)
        let index = known ?? mail.endIndex - 1
        return keepingNewest ? mail[index].appendNewest(event, number) : mail[index].append(event, number).map { [$0] } ?? []
    }

    /// Pauses an info: from now on no call starts, and what waits, waits without the subject.
    ///
    /// - Returns: what is to be released outside the locks, and whether the infos must be numbered anew there.
    func pause(_ info: ObservationInfo) -> (released: [EventBox], mustRenumber: Bool) {
        lock.withLock {
            if InfoState(info.state.load(ordering: .relaxed)).isPaused { return ([], false) }
            // Changes that begin from now on are told from those that have begun. A thread that finds the info paused finds the number of this pause,
            // and a change that begins at that number finds the info paused: so the one is written before the bit, the other after it.
            let number = info.decidesOnPauses ? nextSerial : nil
            if let number { info.notePause(at: number) }
            let before = InfoState(info.state.bitwiseOr(InfoState.paused, ordering: .acquiringAndReleasing).oldValue)
            if let number { serial.store(number, ordering: .releasing) }
            let released = before.hasMail ? exchangeMail(for: info) { ($0 as? KeptEventBox)?.event ?? $0 } : []
            return (released, number.map { isTimeToRenumber(at: $0) } ?? false)
        }
    }

    /// Resumes an info: from now on calls start, and what waits keeps the subject.
    ///
    /// - Returns: what is to be released outside the locks.
    func resume(_ info: ObservationInfo) -> [EventBox] {
        lock.withLock {
            let before = InfoState(info.state.bitwiseAnd(~InfoState.paused, ordering: .acquiringAndReleasing).oldValue)
            guard before.isPaused, before.hasMail else { return [] }
            let subject = livingSubjectOfDelivery(to: info)
            return exchangeMail(for: info) { event in subject.map { KeptEventBox(event, $0) } }
        }
    }

    /// Puts something else in the place of the newest event that waits for an info, or nothing.
    ///
    /// - Returns: the events that waited.
    private func exchangeMail(for info: ObservationInfo, by other: (EventBox) -> EventBox?) -> [EventBox] {
        guard let index = mail.firstIndex(where: { $0.info == ObjectIdentifier(info) }) else { return [] }
        let before = mail[index].takeAll()
        if let newest = before.max(by: { $0.number < $1.number }), let other = other(newest) {
            return before + mail[index].appendNewest(other, newest.number)
        }
        mail.remove(at: index)
        info.state.bitwiseAnd(~InfoState.mail, ordering: .acquiringAndReleasing)
        return before
    }

    /// Takes out the event that was left first.
    func nextMail(for info: ObservationInfo) -> EventBox? {
        lock.withLock {
            // An event for a paused info waits for the info to be resumed.
            if InfoState(info.state.load(ordering: .relaxed)).isPaused { return nil }
            guard let index = mail.firstIndex(where: { $0.info == ObjectIdentifier(info) }) else { return nil }
            let event = mail[index].next()?.event
            if mail[index].isEmpty {
                mail.remove(at: index)
                info.state.bitwiseAnd(~InfoState.mail, ordering: .acquiringAndReleasing)
            }
            return event
        }
    }

    /// Takes out all that was left for an info that has ended.
    func dropMail(for info: ObservationInfo) -> [EventBox] {
        lock.withLock { exchangeMail(for: info) { _ in nil } }
    }
}
