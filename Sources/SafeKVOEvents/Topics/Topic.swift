package import SafeKVO

/// What the observers of one list have selected of a source's events.
///
/// A *topic* selects events by name or type, and optionally by object.
final class Topic: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `key` and `table` are constant, and `object` is written only in `init`. The table's lock guards the
    // other variables.

    let key: TopicKey
    private weak var object: AnyObject?
    /// The table of all topics of the source, which removes this topic after its last observer.
    ///
    /// Until then, or until the source is deallocated, the table and this topic retain each other.
    private let table: TopicTable
    /// The number of registrations in progress, for which the topic must stay in the table.
    var reservations = 0

    init(_ key: TopicKey, object: AnyObject?, in table: TopicTable) {
        self.key = key
        self.object = object
        self.table = table
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        if list.isEmpty { table.removeIfUnused(ObservedTopic(list: list, topic: self)) }
    }

    /// `true` if the topic selects the events of an object that is deallocated.
    var isOver: Bool { key.object != nil && object == nil }

    var listName: String? {
        let what =
            switch key.subject {
            case .anyName: "every message"
            case .name(let name): "'\(name)'"
            case .type(let type): "\(unsafe unsafeBitCast(type, to: Any.Type.self))"  // SAFETY: the identifier is that of a type.
            }
        return key.object == nil ? what : "\(what) of \(object.map { "\(type(of: $0))" } ?? "a deallocated object")"
    }
}

/// A topic with the list of its observers.
struct ObservedTopic {
    let list: ObserverList
    let topic: Topic
}

/// An event source whose observers can select some of its events by topic.
package protocol TopicSource: SharedObservationSource, ListKeeper {
    /// The observers of single topics, with one list for each topic.
    ///
    /// Observers of all events of the source are not in this table, but in `eventRegistrar`. A table with a watcher has a topic for them.
    var topics: TopicTable { get }
}

extension TopicSource {
    package var keptInfos: [ObservationInfo] { topics.infos }

    /// Delivers a named event.
    ///
    /// The closure `event` makes the event, and is called only if there are observers.
    package func notify(about subject: TopicKey.Subject, of object: AnyObject?, event: () -> Event) {
        topics.notify(eventRegistrar.observers, from: self, about: subject, of: object, event: event)
    }
}

/// An object that is notified before a topic gets an observer, and when it has lost its last one.
///
/// The object can then start or stop to receive the topic's events from elsewhere. No lock is held during the calls.
///
/// The observers of all events have a topic, too: the topic of any name and any object. An event with a name does not reach the observers
/// of any name. To notify them, the source delivers the event a second time, under the subject `anyName`.
package protocol TopicWatcher: AnyObject, Sendable {
    /// Called before each registration of an observer of a topic, possibly by several threads at once.
    ///
    /// When this function returns, this `TopicWatcher` must receive the topic's events. `topic` identifies the topic until
    /// ``topicWasForgotten(_:_:)`` is called.
    func topicWillBeObserved(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier)
    /// Called once, when the topic has no observers any more.
    func topicWasForgotten(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier)
}
