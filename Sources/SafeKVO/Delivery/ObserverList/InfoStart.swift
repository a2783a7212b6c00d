/// The start of an info with an initial call: what arrives before it is over waits here, in order of arrival.
///
/// Guarded by the record's lock.
struct InfoStart {
    let info: ObjectIdentifier
    /// The thread that registers, makes the initial call and delivers what has waited.
    let thread: UInt
    /// Whether the initial call is over, so that the thread gets on with what waits.
    var isCatchingUp = false

    private var events = WaitingEvents<EventBox>()

    init(_ info: ObservationInfo, thread: UInt) {
        self.info = ObjectIdentifier(info)
        self.thread = thread
    }

    var waitingCount: Int { events.count }

    mutating func append(_ event: EventBox) {
        events.append(event)
    }

    /// Takes out the event that has waited longest.
    mutating func next() -> EventBox? { events.popFirst() }
}
