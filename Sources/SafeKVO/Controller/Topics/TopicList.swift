internal import Synchronization

/// The list of the observers of one topic.
///
/// A *topic* selects events of a source by name or type, and optionally by object.
final class TopicList: ObserverList, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `topic` and `table` are constant, `isWatched` is atomic, and `object` is
    // written only in `init`. The table's lock guards the other variables.

    let topic: TopicKey
    private weak var object: AnyObject?
    /// The table that holds this list.
    ///
    /// The two retain each other until the topic loses its last observer or the source is deallocated.
    private let table: TopicTable
    /// The number of registrations in progress, each of which may still add an observer.
    var reservations = 0
    /// The index of this list in ``TopicPlaces``, or `nil` if the list is not stored there.
    var place: Int?
    /// `true` if the ``TopicWatcher`` knows that this topic is observed.
    let isWatched = Atomic<Bool>(false)

    init(_ topic: TopicKey, object: AnyObject?, events: ObjectIdentifier, in table: TopicTable, keeping record: ObservationRecord) {
        self.topic = topic
        self.object = object
        self.table = table
        super.init(keeping: record, events: events)
    }

    @inline(__always)
    func isOf(_ subject: TopicKey.Subject, _ object: ObjectIdentifier?) -> Bool { topic.object == object && topic.subject == subject }

    override func didLink(_ info: ObservationInfo) {}

    override func didUnlink(_ info: ObservationInfo) {
        if isEmpty { table.removeIfUnused(self) }
    }

    /// `true` if the topic's object is deallocated, so that no later event can match the topic.
    var isOver: Bool { topic.object != nil && object == nil }

    override var title: String? {
        let what =
            switch topic.subject {
            case .anyName: "every message"
            case .name(let name): "'\(name)'"
            case .type(let type): "\(unsafe unsafeBitCast(type, to: Any.Type.self))"  // SAFETY: the identifier is that of a type.
            }
        return topic.object == nil ? what : "\(what) of \(object.map { "\(type(of: $0))" } ?? "a deallocated object")"
    }
}

/// An event source whose observers can select some of its events by topic.
package protocol TopicSource: ObservationSource, ListKeeper {
    /// The table of the observers that have selected a topic.
    ///
    /// The source's registrar holds the other observers, which get all events.
    var topics: TopicTable { get }
}

extension TopicSource {
    package var keptInfos: [ObservationInfo] { topics.infos }

    /// Delivers a named event to the matching observers that `audience` selects.
    ///
    /// - Parameters:
    ///   - audience: The observers that get the event.
    ///   - subject: The name of the event.
    ///   - object: The object that the event is about, or `nil`.
    ///   - event: Makes the event. The closure is called only if there are observers.
    package func notify(_ audience: TopicAudience, about subject: TopicKey.Subject, of object: AnyObject?, event: () -> Event) {
        topics.notify(audience, eventRegistrar.observers, from: self, about: subject, of: object, event: event)
    }
}

/// An object that is notified when a topic gets its first observer or loses its last one.
///
/// The object can then start or stop whatever is needed to notice the topic's events. No lock is held during the
/// calls.
package protocol TopicWatcher: AnyObject, Sendable {
    /// Called before an observer is added to a topic that is not watched yet.
    ///
    /// When this function returns, the watcher must notice the topic's events. Several threads may call this function at once.
    ///
    /// - Parameters:
    ///   - subject: The name or the type that the topic selects.
    ///   - topic: An identifier of the topic. It is valid until ``topicWasForgotten(_:_:)`` is called for it.
    func topicWillBeObserved(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier)
    /// Called after an observer was registered that gets the events of all names.
    func everyNameWasObserved()
    /// Called once, after a topic has lost its last observer.
    ///
    /// - Parameters:
    ///   - subject: The name or the type that the topic selects.
    ///   - topic: The identifier that ``topicWillBeObserved(_:_:)`` got for the topic.
    func topicWasForgotten(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier)
}
