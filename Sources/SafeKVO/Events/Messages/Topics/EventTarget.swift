/// Which events of a source are observed: all of them, or those of a topic.
public struct _EventTarget {
    /// Where the lists of topics are; nil if all events are meant.
    let topics: TopicTable?
    @usableFromInline let isEverything: Bool
    let subject: TopicKey.Subject
    let object: AnyObject?

    /// The events of a topic.
    package init(_ topics: TopicTable, _ subject: TopicKey.Subject, of object: AnyObject?) {
        isEverything = subject == .anyName && object == nil
        self.topics = isEverything ? nil : topics
        self.subject = subject
        self.object = object
    }

    /// All events.
    @usableFromInline
    init() {
        isEverything = true
        topics = nil
        subject = .anyName
        object = nil
    }

}

/// What it means to observe a source.
extension ControllerCore {
    /// Observes the events of a source, or those of a topic.
    @inlinable
    func observe<Source: ObservationSource>(
        _ source: Source?, _ topic: Source.Topic, _ sender: Source.Sender, _ registration: Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        guard let target = source?._target(of: topic, from: sender), !target.isEverything, let source else {
            return observe(source, registration, make: make) { source.map { ListTarget($0.eventRegistrar.list(of: $0)) } }
        }
        return observe(target, of: source, source.eventRegistrar.observers, events: Source.Event.self, registration, make: make)
    }

    /// Observes the events of a topic.
    @usableFromInline
    func observe(
        _ target: _EventTarget, of source: AnyObject, _ observers: borrowing ObserverRegistrar, events: Any.Type,
        _ registration: Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        observe(source, registration, make: make) { TopicTarget(target, of: source, observers, events: events) }
    }

    /// Removes the observation of a source, or of a topic.
    func unobserve<Source: ObservationSource>(_ source: Source?, _ target: _EventTarget?, tag: ObservationTag?) -> Int {
        guard let source, let target else { return unobserve(list: nil, tag: tag) }
        let list =
            target.topics == nil
            ? source.eventRegistrar.existingList : target.topics?.list(of: TopicKey(target.subject, of: target.object))
        return withExtendedLifetime(list) { unobserve(list: list.map { Unretained($0) }, tag: tag) }
    }
}

/// A topic of a source.
struct TopicTarget: ObservationTarget {
    private let topics: TopicTable
    private let list: TopicList

    /// Nothing, if the object that the events are to be about is being deallocated.
    init?(_ target: _EventTarget, of source: AnyObject, _ observers: borrowing ObserverRegistrar, events: Any.Type) {
        // SAFETY: the caller holds the object.
        if let object = target.object, unsafe Unretained(object).isBeingDestroyed { return nil }
        guard let topics = target.topics else { preconditionFailure("Internal inconsistency: all events are no topic.") }
        self.topics = topics
        list = topics.reserve(
            TopicKey(target.subject, of: target.object), object: target.object, events: events,
            record: observers.record(of: source, .source))
    }

    func withList(_ register: (ObserverList) -> ObservationResult) -> ObservationResult {
        defer { topics.release(list) }
        return register(list)
    }
}
