internal import Synchronization

/// The observers of one topic of a source.
final class TopicList: ObserverList, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) constants, a weak reference that is written in `init` only, and what belongs to the table's lock.

    let topic: TopicKey
    /// The object of the topic.
    private weak var object: AnyObject?
    /// Kept, and keeping this, until the last observer of the topic or the source goes.
    private let table: TopicTable
    /// How many registrations have found the list and may still hang an info into it.
    var reservations = 0
    /// Where the list is among the table's places, if it is in the table.
    ///
    /// To take it out nothing must be looked for: a look at one of many places waits for memory longer than all the rest takes.
    var place: Int?
    /// Whether the table's watcher notices the events of the topic.
    let isWatched = Atomic<Bool>(false)

    init(_ topic: TopicKey, object: AnyObject?, events: ObjectIdentifier, in table: TopicTable, keeping record: ObservationRecord) {
        self.topic = topic
        self.object = object
        self.table = table
        super.init(keeping: record, events: events)
    }

    /// Whether this is the list of a topic.
    @inline(__always)
    func isOf(_ subject: TopicKey.Subject, _ object: ObjectIdentifier?) -> Bool { topic.object == object && topic.subject == subject }

    override func didLink(_ info: ObservationInfo) {}

    override func didUnlink(_ info: ObservationInfo) {
        if isEmpty { table.removeIfUnused(self) }
    }

    /// Whether the topic's object is gone, so that nothing can happen to it any more.
    var isOver: Bool { topic.object != nil && object == nil }

    override var title: String? {
        let what =
            switch topic.subject {
            case .anyName: "every message"
            case .name(let name): "'\(name)'"
            case .type(let type): "\(unsafe unsafeBitCast(type, to: Any.Type.self))"  // SAFETY: made of a type.
            }
        return topic.object == nil ? what : "\(what) of \(object.map { "\(type(of: $0))" } ?? "a deallocated object")"
    }
}

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

/// An object that must begin something to notice the events of a topic, and may end it when nobody observes them any more.
///
/// The calls are made under no lock.
package protocol TopicWatcher: AnyObject, Sendable {
    /// Called before an observer is added to a topic, on each thread that adds one before the call has returned on another.
    ///
    /// When it returns, events of the topic must be noticed.
    ///
    /// - Parameters:
    ///   - subject: The kind of events.
    ///   - topic: What identifies the topic until it is forgotten.
    func topicWillBeObserved(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier)
    /// Called after an observer was added to a topic of every name.
    func everyNameWasObserved()
    /// Called once, when a topic has lost its last observer.
    func topicWasForgotten(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier)
}
