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
    package func notify(about subject: TopicKey.Subject, of object: AnyObject?, event: () -> Event) {
        topics.notify(eventRegistrar.observers, from: self, about: subject, of: object, event: event)
    }

    /// Notifies some of the observers that an event with a name concerns.
    ///
    /// - Parameters:
    ///   - audience: Which observers.
    ///   - subject: Its name.
    ///   - object: Its object.
    ///   - event: Makes the event, if anybody asked for it.
    package func notify(_ audience: TopicAudience, about subject: TopicKey.Subject, of object: AnyObject?, event: () -> Event) {
        topics.notify(audience, eventRegistrar.observers, from: self, about: subject, of: object, event: event)
    }
}
