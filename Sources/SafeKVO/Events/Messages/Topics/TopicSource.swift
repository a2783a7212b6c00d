/// A source whose observers ask for some of its events.
package protocol TopicSource: ObservationSource, ListKeeper {
    /// Who asked for what; who asked for nothing in particular is in the registrar.
    var topics: TopicTable { get }
}

extension TopicSource {
    package var keptInfos: [ObservationInfo] { topics.infos }

    /// Tells an event that has a name to those who asked for that name, or for that object, or for both, or for nothing in particular.
    ///
    /// - Parameters:
    ///   - subject: Its name.
    ///   - object: Its object.
    ///   - event: Makes the event, if anybody asked for it.
    package func notify(about subject: Topic.Subject, of object: AnyObject?, event: () -> Event) {
        guard let record = observationRegistrar.observers.record else { return }
        topics.tell(in: record, subject, of: object, everything: observationRegistrar.observers.sourceList) { matches in
            var event = SourceEvent(source: self, event: event())
            unsafe withUnsafePointer(to: &event) { pointer in
                // SAFETY: the pointer is used during the call only.
                matches.tell(unsafe EventPointer(UnsafeRawPointer(pointer))) {
                    TypedEventBox<SourceEvent<Event>>(copying: $0)
                }
            }
        }
    }
}
