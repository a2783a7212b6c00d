internal import Synchronization

/// The events that wait for an info, in order of arrival: those that arrive before its initial call is over, or while another thread calls it.
///
/// Of what is told as values only the newest waits: the handler is told the last one, however fast another thread changes it.
///
/// Guarded by the record's lock.
struct InfoStart {
    let info: ObjectIdentifier
    private let keepsNewest: Bool

    private var events = WaitingEvents<EventBox>()
    /// The number of the event that waits, if only the newest does.
    private var newest: UInt64 = 0
    /// How many events of this round are left: of those that waited when the round before was over.
    private var remaining = 0
    private var round: UInt32 = 0

    init(_ info: ObservationInfo) {
        self.info = ObjectIdentifier(info)
        keepsNewest = info.flags.contains(.wholeValue) && !info.flags.contains(.hops) && info.flags.handlerKind != .sequence
    }

    /// Takes in an event.
    ///
    /// - Parameters:
    ///   - event: The event. A nested change, which is newer, arrives before the one around it.
    ///   - number: Its number.
    /// - Returns: the event that need not wait, this one or the one before, to be released outside the lock.
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

    /// Takes in an event, beside which no other waits.
    ///
    /// - Returns: the events that need not wait, this one or those before, to be released outside the lock.
    mutating func appendNewest(_ event: EventBox, _ number: UInt64) -> [EventBox] {
        if !isEmpty, number != 0, number < newest { return [event] }
        let older = takeAll()
        newest = number
        events.append(event)
        return older
    }

    /// Takes out all events.
    mutating func takeAll() -> [EventBox] {
        var all: [EventBox] = []
        while let event = events.popFirst() { all.append(event) }
        remaining = 0
        return all
    }

    var isEmpty: Bool { events.count == 0 }

    /// Takes out the event that has waited longest, and says in which round.
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

/// The starts of registrations with an initial call.
extension ObservationRecord {
    /// Says, before an info is linked, that its start is under way on this thread.
    func beginStart(of info: ObservationInfo) {
        let start = InfoStart(info)
        lock.withLock { starts.append(start) }
    }

    /// Lets an event wait for an info whose start is under way.
    ///
    /// The registering thread delivers it. No thread waits for another one here.
    ///
    /// - Returns: false if the start is over.
    func postpone(_ event: EventBox, for info: ObservationInfo) -> Bool {
        let number = event.number
        let (isPostponed, older): (Bool, EventBox?) = lock.withLock {
            guard let index = starts.firstIndex(where: { $0.info == ObjectIdentifier(info) }) else { return (false, nil) }
            return (true, starts[index].append(event, number))
        }
        if older != nil { info.noteOvertaken() }
        return isPostponed
    }

    /// The next event that waits for an info, and in which round of delivering them; if there is none, the info's start is over.
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
