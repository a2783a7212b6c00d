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
