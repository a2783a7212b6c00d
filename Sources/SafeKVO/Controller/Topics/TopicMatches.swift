/// The lists of the observers that match one event.
///
/// The lists stay in memory as long as this value, even if they lose their last observers meanwhile.
struct TopicMatches {
    /// The observers of the event's name or type, for any object.
    let about: ObserverList?
    /// The observers that registered for both the event's name (or type) and the event's object.
    let both: ObserverList?
    /// The observers that chose the event's object, but no name.
    let of: ObserverList?
    /// The observers of all events.
    let everything: ObserverList?
    /// Observers with a greater serial number were registered too late to get the event.
    let limit: UInt64

    var isEmpty: Bool { about == nil && both == nil && of == nil && everything == nil }

    /// Delivers an event to the matching observers.
    ///
    /// `box` copies the event for handlers that are called later.
    @inline(__always)
    func tell(_ event: EventPointer, box: (EventPointer) -> EventBox) {
        switch (about, both, of, everything) {
        case (let list?, nil, nil, nil), (nil, let list?, nil, nil), (nil, nil, let list?, nil), (nil, nil, nil, let list?):
            list.deliver(event, onlyPrior: false, upTo: limit, hearsLate: true, box: box)
        default:
            withExtendedLifetime((about, both, of, everything)) {
                ObserverList.deliver(event, from: [about, both, of, everything].map { $0?.chain.first }, upTo: limit, box: box)
            }
        }
    }
}
