internal import Synchronization

/// Events that one thread stores for another, which is calling the observer or will resume a paused controller.
extension ObservationRecord {
    /// Stores an event for the thread that is calling the observer or will resume the controller.
    ///
    /// The caller must have counted a call with `enter()`. The stored event retains the observed object. During a pause, only the newest
    /// event is stored, without retaining the object.
    ///
    /// - Returns: Events that the caller must release outside the lock.
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
    /// - Returns: Events that the caller must release while it holds no lock, and `true` if it must then call `renumber()`.
    func pause(_ info: ObservationInfo) -> (released: [EventBox], mustRenumber: Bool) {
        lock.withLock {
            if InfoState(info.state.load(ordering: .relaxed)).isPaused { return ([], false) }
            // Keep the order of the three stores. A thread that finds the bit `paused` must also find the number of the pause. A change
            // that begins at the new serial number must find the bit. So each change can tell whether it began before the pause.
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

    /// Replaces the stored events of a registration by the newest of them, converted by a closure, or by none if the closure returns `nil`.
    ///
    /// - Returns: The events that the caller must release while it holds no lock.
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

    /// Removes and returns the event that was stored first; `nil` if there is none or the registration is paused.
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

    /// Removes and returns all events that were stored for a registration that has ended.
    func dropMail(for info: ObservationInfo) -> [EventBox] {
        lock.withLock { exchangeMail(for: info) { _ in nil } }
    }
}

/// The events that wait for one registration, in order of arrival.
///
/// An event waits if it arrives before the observer's initial call is over, or while another thread calls the observer. If the handler
/// receives whole values, only the newest event waits, so that a slow handler still gets the last value.
///
/// The lock of the observation record guards this value.
struct InfoStart {
    let info: ObjectIdentifier
    private let keepsNewest: Bool

    private var events = WaitingEvents<EventBox>()
    /// The change number of the waiting event, if only the newest event waits.
    private var newest: UInt64 = 0
    /// The number of events that the current round must still deliver.
    ///
    /// When a round is over, the next one consists of all events that wait then.
    private var remaining = 0
    private var round: UInt32 = 0

    init(_ info: ObservationInfo) {
        self.info = ObjectIdentifier(info)
        keepsNewest = info.flags.contains(.wholeValue) && !info.flags.contains(.hops) && info.flags.handlerKind != .sequence
    }

    /// Adds an event.
    ///
    /// If only the newest event is kept, the older of `event` and the waiting one is dropped. A nested change is newer than the outer one,
    /// but its event arrives first.
    ///
    /// - Parameter number: The serial number of the event's change, or zero if it has none.
    /// - Returns: The event that must not be delivered, if any. The caller releases it outside the lock.
    mutating func append(_ event: EventBox, _ number: UInt64) -> EventBox? {
        var older: EventBox?
        if keepsNewest {
            if events.count > 0, number != 0, number < newest { return event }
            older = events.popFirst()
            newest = number
        }
        events.append(event)
        return older
    }

    /// Replaces all waiting events by the given one, unless a newer event waits.
    ///
    /// - Returns: The events that must not be delivered. The caller releases them outside the lock.
    mutating func appendNewest(_ event: EventBox, _ number: UInt64) -> [EventBox] {
        if !isEmpty, number != 0, number < newest { return [event] }
        let older = takeAll()
        newest = number
        events.append(event)
        return older
    }

    mutating func takeAll() -> [EventBox] {
        var all: [EventBox] = []
        while let event = events.popFirst() { all.append(event) }
        remaining = 0
        return all
    }

    var isEmpty: Bool { events.count == 0 }

    /// Removes and returns the event that has waited longest, with the number of its round; `nil` if none waits.
    mutating func next() -> (event: EventBox, round: UInt32)? {
        if remaining == 0 {
            remaining = events.count
            round &+= 1
        }
        guard let event = events.popFirst() else { return nil }
        remaining = max(0, remaining - 1)
        return (event, round)
    }
}

extension ObservationRecord {
    /// Makes all events for a registration wait from now on, because this thread is about to make the initial call.
    func beginStart(of info: ObservationInfo) {
        let start = InfoStart(info)
        lock.withLock { starts.append(start) }
    }

    /// Makes an event wait until the initial call of a registration is over.
    ///
    /// - Returns: `false` if the initial call is already over. Then the caller must deliver the event.
    func postpone(_ event: EventBox, for info: ObservationInfo) -> Bool {
        let number = event.number
        let (isPostponed, older): (Bool, EventBox?) = lock.withLock {
            guard let index = starts.firstIndex(where: { $0.info == ObjectIdentifier(info) }) else { return (false, nil) }
            return (true, starts[index].append(event, number))
        }
        if older != nil { info.noteOvertaken() }
        return isPostponed
    }

    /// Removes and returns the next event that waits for a registration, with the number of its round.
    ///
    /// If no event waits, the function returns `nil` and marks the initial call as over.
    func nextWaiting(for info: ObservationInfo) -> (event: EventBox, round: UInt32)? {
        lock.withLock {
            guard let index = starts.firstIndex(where: { $0.info == ObjectIdentifier(info) }) else { return nil }
            if let next = starts[index].next() { return next }
            starts.remove(at: index)
            info.state.bitwiseAnd(~InfoState.starting, ordering: .acquiringAndReleasing)
            return nil
        }
    }
}

/// A queue of events that wait for their delivery, in order of arrival.
///
/// A lock guards each queue, and no object of the program may be released under that lock. So `popFirst()` returns the
/// queue's reference to the event, and releases nothing.
struct WaitingEvents<Element> {
    private var elements: [Element?] = []
    private var first = 0

    var count: Int { elements.count - first }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first].take()
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: first <= Self.kept)
            first = 0
        } else if first >= Self.kept, first * 2 >= elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    private static var kept: Int { 64 }
}
