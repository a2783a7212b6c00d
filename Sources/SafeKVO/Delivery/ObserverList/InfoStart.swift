/// The start of an info with an initial call: what arrives before it is over waits here, in order of arrival.
///
/// Of what is told as values only the newest waits: the handler is told the last one, however fast another thread changes it.
///
/// Guarded by the record's lock.
struct InfoStart {
    let info: ObjectIdentifier
    private let keepsNewest: Bool

    private var events = WaitingEvents<EventBox>()
    /// How many events of this round are left: of those that waited when the round before was over.
    private var remaining = 0
    private var round: UInt32 = 0

    init(_ info: ObservationInfo) {
        self.info = ObjectIdentifier(info)
        keepsNewest = info.flags.contains(.wholeValue) && !info.flags.contains(.hops) && info.flags.handlerKind != .sequence
    }

    /// Takes in an event.
    ///
    /// - Returns: one that need not wait any longer, to be released outside the lock.
    mutating func append(_ event: EventBox) -> EventBox? {
        let older = keepsNewest ? events.popFirst() : nil
        if older != nil, remaining > 0 { remaining -= 1 }
        events.append(event)
        return older
    }

    /// Takes out the event that has waited longest, and says in which round.
    mutating func next() -> (event: EventBox, round: UInt32)? {
        if remaining == 0 {
            remaining = events.count
            round &+= 1
        }
        guard let event = events.popFirst() else { return nil }
        remaining -= 1
        return (event, round)
    }
}
