/// What a topic's list of observers knows of its topic.
final class TopicHook: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) constants, a weak reference that is written in `init` only, and a count that belongs to the table's lock.

    let topic: Topic
    /// The object of the topic.
    private weak var object: AnyObject?
    /// Kept, and keeping this, until the last observer of the topic or the source goes.
    private let table: TopicTable
    /// How many registrations have found the list and may still hang an info into it.
    var reservations = 0

    init(_ topic: Topic, object: AnyObject?, in table: TopicTable) {
        self.topic = topic
        self.object = object
        self.table = table
    }

    /// The hook of a topic's list.
    @inline(__always)
    static func of(_ list: ObserverList) -> TopicHook {
        guard let hook = list.hook else { preconditionFailure("Internal inconsistency: the list of a topic has no hook.") }
        // SAFETY: the lists of topics are made with such hooks.
        return unsafe unsafeDowncast(hook, to: TopicHook.self)
    }

    /// Whether this is the hook of a topic.
    @inline(__always)
    func isOf(_ subject: Topic.Subject, _ object: ObjectIdentifier?) -> Bool { topic.object == object && topic.subject == subject }

    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        table.watcher?.topicWasObserved(topic.subject)
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        if list.isEmpty { table.removeIfUnused(list, topic) }
        table.watcher?.topicWasUnobserved(topic.subject)
    }

    /// Whether what the list is about is gone, so that nothing can happen to it any more.
    var isOver: Bool { topic.object != nil && object == nil }

    var listName: String? {
        let what =
            switch topic.subject {
            case .anyName: "every message"
            case .name(let name): "'\(name)'"
            case .type(let type): "\(unsafe unsafeBitCast(type, to: Any.Type.self))"  // SAFETY: made of a type.
            }
        return topic.object == nil ? what : "\(what) of \(object.map { "\(type(of: $0))" } ?? "an object that is gone")"
    }
}
