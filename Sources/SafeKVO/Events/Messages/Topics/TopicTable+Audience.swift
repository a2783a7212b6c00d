extension TopicTable {
    /// Notifies some of the observers that an event with a name concerns.
    ///
    /// - Parameters:
    ///   - audience: Which observers.
    ///   - observers: The source's registrar.
    ///   - source: The source.
    ///   - subject: The event's name.
    ///   - object: Its object.
    ///   - event: Makes the event, if anybody asked for it.
    func notify<Event>(
        _ audience: TopicAudience, _ observers: borrowing ObserverRegistrar, from source: AnyObject, about subject: TopicKey.Subject,
        of object: AnyObject?, event: () -> Event
    ) {
        if audience == .everybody { return notify(observers, from: source, about: subject, of: object, event: event) }
        guard let record = observers.record else { return }
        tell(in: record, subject, of: object, everything: observers.sourceList) { matches in
            var event = SourceEvent(source: Unretained(source), event: event())
            unsafe withUnsafePointer(to: &event) { pointer in
                // SAFETY: the pointer is used during the call only.
                matches.tell(audience, unsafe EventPointer(UnsafeRawPointer(pointer))) {
                    TypedEventBox<SourceEvent<Event>>(copying: $0)
                }
            }
        }
    }
}
