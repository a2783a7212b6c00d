/// A source whose observers ask for some of its events.
package protocol TopicSource: ObservationSource {
    /// Who asked for what; who asked for nothing in particular is in the registrar.
    var topics: TopicTable { get }
}

extension TopicSource {
    /// Tells an event that has a name to those who asked for that name, or for that object, or for both, or for nothing in particular.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - subject: Its name.
    ///   - object: Its object.
    package func notify(_ event: Event, about subject: Topic.Subject, of object: AnyObject?) {
        var event = SourceEvent(source: self, event: event)
        unsafe withUnsafePointer(to: &event) { pointer in
            // SAFETY: the pointer is used during the call only.
            topics.notify(
                unsafe EventPointer(UnsafeRawPointer(pointer)), about: subject, of: object,
                everything: observationRegistrar.observers.sourceList
            ) { TypedEventBox<SourceEvent<Event>>(copying: $0) }
        }
    }
}
