/// The start of an info with an initial call: what arrives before it is over waits here, in order of arrival.
///
/// Guarded by the record's lock.
struct InfoStart {
    let info: ObjectIdentifier
    /// The thread that registers, makes the initial call and delivers what has waited.
    let thread: UInt
    /// Whether the initial call is over, so that the thread gets on with what waits.
    var isCatchingUp = false

    private var events: [EventBox] = []
    private var delivered = 0

    init(_ info: ObservationInfo, thread: UInt) {
        self.info = ObjectIdentifier(info)
        self.thread = thread
    }

    var waitingCount: Int { events.count - delivered }

    mutating func append(_ event: EventBox) {
        events.append(event)
    }

    /// Takes out the event that has waited longest.
    mutating func next() -> EventBox? {
        guard waitingCount > 0 else { return nil }
        let event = events[delivered]
        delivered += 1
        if delivered == events.count {
            events.removeAll(keepingCapacity: true)
            delivered = 0
        }
        return event
    }
}
