internal import SafeKVO

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
    let cutoff: UInt64

    var isEmpty: Bool { about == nil && both == nil && of == nil && everything == nil }

    /// Delivers an event to the matching observers.
    ///
    /// `box` copies the event for handlers that are called later.
    @inline(__always)
    func notify(_ event: EventPointer, pinnedBy pin: borrowing EpochPins.Pin, box: (EventPointer) -> EventBox) {
        switch (about, both, of, everything) {
        case (let list?, nil, nil, nil), (nil, let list?, nil, nil), (nil, nil, let list?, nil), (nil, nil, nil, let list?):
            list.deliver(event, onlyPrior: false, upTo: cutoff, hearsLate: false, pinnedBy: pin, box: box)
        default:
            withExtendedLifetime((about, both, of, everything)) {
                ObserverList.deliver(event, to: [about, both, of, everything], upTo: cutoff, pinnedBy: pin, box: box)
            }
        }
    }
}

extension TopicTable {
    /// Delivers an event to its observers.
    ///
    /// The closure `event` is called only if there are observers.
    @inline(__always)
    func notify<Event>(
        _ observers: borrowing ObserverRegistrar, from source: AnyObject, about subject: TopicKey.Subject, of object: AnyObject?,
        event: () -> Event
    ) {
        notify(in: observers, subject, of: object, everything: observers.sourceList) { matches, pin in
            EventPointer.with(SourceEvent(source: Unretained(source), event: event())) { matches.notify($0, pinnedBy: pin, box: $1) }
        }
    }

    /// Finds the observers of an event.
    ///
    /// If there are any, the closure `notify` delivers the event to them.
    ///
    /// `everything` is the list of the observers of all events.
    @inline(__always)
    func notify(
        in observers: borrowing ObserverRegistrar, _ subject: TopicKey.Subject, of object: AnyObject?,
        everything: Unretained<ObserverList>?, _ notify: (TopicMatches, borrowing EpochPins.Pin) -> Void
    ) {
        observers.withRecord { record in
            record.duringDelivery { pin in
                let matches = find(subject, object, everything, record)
                if !matches.isEmpty { notify(matches, pin) }
            }
        }
    }

    @inline(__always)
    private func find(
        _ subject: TopicKey.Subject, _ object: AnyObject?, _ everything: Unretained<ObserverList>?, _ record: ObservationRecord
    ) -> TopicMatches {
        let (about, both, of) = lock.withLock { () -> (ObserverList?, ObservedTopic?, ObservedTopic?) in
            let about = unsafe topics[TopicKey(subject, nil)]?.list
            guard objectTopics > 0, let object else { return (about, nil, nil) }
            let both = unsafe topics[TopicKey(subject, of: object)]
            guard watcher == nil, case .name = subject else { return (about, both, nil) }
            return (about, both, unsafe topics[TopicKey(.anyName, of: object)])
        }
        // SAFETY: the source's record of observations owns this list, and the delivery in progress keeps the record alive.
        let all = everything.flatMap { unsafe $0.with { $0.isEmpty ? nil : $0 } }
        return TopicMatches(
            about: about, both: both.flatMap { living($0) }, of: of.flatMap { living($0) }, everything: all, cutoff: record.currentSerial)
    }

    /// Returns the list that was found for an object; removes it if it belongs to a deallocated object that had the same address.
    private func living(_ topic: ObservedTopic) -> ObserverList? {
        guard topic.topic.isOver else { return topic.list }
        drop(topic)
        return nil
    }
}
