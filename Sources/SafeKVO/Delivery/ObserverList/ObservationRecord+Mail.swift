internal import Synchronization

/// What threads leave to others that are calling the observer.
extension ObservationRecord {
    /// Leaves an event to the thread that is calling the observer.
    ///
    /// The caller is counted in at the info. The subject is kept until the event is delivered.
    ///
    /// - Returns: the event that need not be delivered, this one or the one before, to be released outside the lock.
    func leave(_ event: EventBox, for info: ObservationInfo) -> EventBox? {
        let number = event.number
        let event = KeptEventBox(event, subjectOfDelivery)
        return lock.withLock {
            let known = mail.firstIndex { $0.info == ObjectIdentifier(info) }
            if known == nil { mail.append(InfoStart(info)) }
            info.state.bitwiseOr(InfoState.mail, ordering: .acquiringAndReleasing)
            return mail[known ?? mail.endIndex - 1].append(event, number)
        }
    }

    /// Takes out the event that was left first.
    func nextMail(for info: ObservationInfo) -> EventBox? {
        lock.withLock {
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
        var dropped: [EventBox] = []
        while let event = nextMail(for: info) { dropped.append(event) }
        return dropped
    }
}
