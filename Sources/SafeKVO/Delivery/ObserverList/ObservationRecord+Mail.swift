internal import Synchronization

/// *Mail*: events that are stored while another thread calls the observer or while the controller is paused.
extension ObservationRecord {
    /// Stores an event that cannot be delivered now; returns the replaced events, which the caller must release outside the lock.
    ///
    /// The stored event retains the observed object, except during a pause.
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

    /// Pauses a registration, so that its events wait or are dropped until `resume(_:)`.
    ///
    /// - Returns: Replaced events, which the caller must release while it holds no lock.
    func pause(_ info: ObservationInfo) -> [EventBox] {
        lock.withLock {
            if InfoState(info.state.load(ordering: .relaxed)).isPaused { return [] }
            // The order of these stores matters. Each change notes `serial` when it begins, and a delivery that finds the bit `paused`
            // compares the noted number with the pause's number. So store the pause's number before the bit. Store `serial` after the bit:
            // a change that notes the new `serial` began after the pause, so its deliveries must find the bit.
            let number = info.decidesOnPauses ? nextSerial : nil
            if let number { info.notePause(at: number) }
            let before = InfoState(info.state.bitwiseOr(InfoState.paused, ordering: .acquiringAndReleasing).oldValue)
            if let number { serial.store(number, ordering: .releasing) }
            return before.hasMail ? exchangeMail(for: info) { ($0 as? KeptEventBox)?.event ?? $0 } : []
        }
    }

    /// Ends the pause of a registration, so that calls of the handler may start again.
    ///
    /// An event that waited during the pause does not retain the observed object. The event is now replaced by one that retains the object
    /// until the delivery. If the object is being deallocated, the event is dropped.
    ///
    /// Returns the replaced and dropped events, which the caller must release while it holds no lock.
    func resume(_ info: ObservationInfo) -> [EventBox] {
        lock.withLock {
            let before = InfoState(info.state.bitwiseAnd(~InfoState.paused, ordering: .acquiringAndReleasing).oldValue)
            guard before.isPaused, before.hasMail else { return [] }
            let subject = livingSubjectOfDelivery(to: info)
            return exchangeMail(for: info) { event in subject.map { KeptEventBox(event, $0) } }
        }
    }

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

    /// Removes and returns the oldest stored event; `nil` if there is none or the registration is paused.
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

    func dropMail(for info: ObservationInfo) -> [EventBox] {
        lock.withLock { exchangeMail(for: info) { _ in nil } }
    }
}

/// The events that wait for delivery to one registration, in order of arrival.
///
/// An event waits during the observer's initial call (its start), while another thread calls the observer, and during a pause. If the
/// handler receives values, not changes, usually only the newest event is kept.
///
/// The lock of the object's ``ObservationRecord`` guards this value.
struct InfoStart {
    let info: ObjectIdentifier
    private let keepsNewest: Bool

    private var events = WaitingEvents<EventBox>()
    private var newest: UInt64 = 0
    /// The number of undelivered events of the current round.
    ///
    /// A round consists of the events that wait when the round begins.
    private var remaining = 0
    private var round: UInt32 = 0

    init(_ info: ObservationInfo) {
        self.info = ObjectIdentifier(info)
        keepsNewest = info.flags.contains(.wholeValue) && !info.flags.contains(.hops) && info.flags.handlerKind != .sequence
    }

    /// Adds an event.
    ///
    /// If the handler needs only the newest event, returns the event that is not kept. The greater change number marks the newer event,
    /// because the event of a nested change arrives before that of the older, outer one. An event with the number zero counts as the
    /// newest.
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

    /// Replaces all waiting events, unless a newer one waits; the caller releases the returned events outside the lock.
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
    /// Makes all events for a registration wait until its initial call has ended.
    func beginStart(of info: ObservationInfo) {
        let start = InfoStart(info)
        lock.withLock { starts.append(start) }
    }

    /// Makes an event wait until the initial call of a registration has ended.
    ///
    /// Returns `false` if that call has already ended. Then the caller must deliver the event.
    func postpone(_ event: EventBox, for info: ObservationInfo) -> Bool {
        let number = event.number
        let (isPostponed, older): (Bool, EventBox?) = lock.withLock {
            guard let index = starts.firstIndex(where: { $0.info == ObjectIdentifier(info) }) else { return (false, nil) }
            return (true, starts[index].append(event, number))
        }
        if older != nil { info.noteOvertaken() }
        return isPostponed
    }

    /// Removes and returns the oldest event that waits for the end of a registration's initial call.
    ///
    /// If no event waits, the function returns `nil` and marks the initial call as ended.
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
/// `popFirst()` returns the queue's own reference, so that no object is released under the lock that guards the queue.
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
