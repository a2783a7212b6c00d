internal import Synchronization

/// Functions for waiting events: one thread leaves an event for another, which is calling the observer or will resume a
/// paused controller.
extension ObservationRecord {
    /// Leaves an event for the thread that is calling the observer.
    ///
    /// The caller must have counted a call with `enter()`. The waiting event retains the observed object. While the controller is
    /// paused, only the newest event waits, without retaining the object.
    ///
    /// - Returns: The events that must not be delivered. The caller releases them outside the lock.
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

    /// Pauses a registration: no call starts after this, and a waiting event does not retain the observed object.
    ///
    /// - Returns: `released`: events that the caller must release while it holds no lock. `mustRenumber`: `true` if the
    ///   caller must then call `renumber()`, which raises old serial numbers.
    func pause(_ info: ObservationInfo) -> (released: [EventBox], mustRenumber: Bool) {
        lock.withLock {
            if InfoState(info.state.load(ordering: .relaxed)).isPaused { return ([], false) }
            // The order of three stores matters: the pause's number, the `paused` bit, the record's serial number. A
            // thread that finds the bit also finds the pause's number. A change that begins at the new serial number
            // also finds the bit. So it is always known whether a change began before the pause.
            let number = info.decidesOnPauses ? nextSerial : nil
            if let number { info.notePause(at: number) }
            let before = InfoState(info.state.bitwiseOr(InfoState.paused, ordering: .acquiringAndReleasing).oldValue)
            if let number { serial.store(number, ordering: .releasing) }
            let released = before.hasMail ? exchangeMail(for: info) { ($0 as? KeptEventBox)?.event ?? $0 } : []
            return (released, number.map { isTimeToRenumber(at: $0) } ?? false)
        }
    }

    /// Resumes a registration: calls may start, and a waiting event retains the observed object again.
    ///
    /// - Returns: The events that the caller must release while it holds no lock.
    func resume(_ info: ObservationInfo) -> [EventBox] {
        lock.withLock {
            let before = InfoState(info.state.bitwiseAnd(~InfoState.paused, ordering: .acquiringAndReleasing).oldValue)
            guard before.isPaused, before.hasMail else { return [] }
            let subject = livingSubjectOfDelivery(to: info)
            return exchangeMail(for: info) { event in subject.map { KeptEventBox(event, $0) } }
        }
    }

    /// Removes all waiting events of a registration, and adds the newest one again after a closure has converted it.
    ///
    /// If the closure returns `nil`, no event waits afterwards.
    ///
    /// - Returns: The events that were waiting.
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

    /// Removes and returns the event that was left first; returns `nil` if there is none or the registration is paused.
    func nextMail(for info: ObservationInfo) -> EventBox? {
        lock.withLock {
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

    /// Removes and returns all events that were left for a registration that has ended.
    func dropMail(for info: ObservationInfo) -> [EventBox] {
        lock.withLock { exchangeMail(for: info) { _ in nil } }
    }
}
