/// A description of the events that an observer selects: all events of a source, or those of one topic.
public struct _EventTarget {
    /// `nil` if all events of the source are selected.
    let topics: TopicTable?
    @usableFromInline let isEverything: Bool
    let subject: TopicKey.Subject
    let object: AnyObject?

    /// Selects events by subject, such as a name.
    ///
    /// With `nil` as `object`, it selects events about any object.
    package init(_ topics: TopicTable, _ subject: TopicKey.Subject, of object: AnyObject?) {
        isEverything = subject == .anyName && object == nil
        self.topics = isEverything ? nil : topics
        self.subject = subject
        self.object = object
    }

    @usableFromInline
    init() {
        isEverything = true
        topics = nil
        subject = .anyName
        object = nil
    }

}

extension ControllerCore {
    @inlinable
    func observe<Source: ObservationSource>(
        _ source: Source?, _ topic: Source.Topic, _ sender: Source.Sender, _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        guard let source else { return registration.refused(.noObject) }
        let target = source._target(of: topic, from: sender)
        if !target.isEverything {
            return observe(target, of: source, source.eventRegistrar.observers, events: Source.Event.self, registration, make: make)
        }
        // `list(of:)` creates the source's observer list if there is none. A source that is being deallocated must not get one, so check
        // first.
        if let refusal = refusal(of: source, registration) { return registration.refused(refusal) }
        return observe(source, source.eventRegistrar.list(of: source), registration, make: make)
    }

    @usableFromInline
    func observe(
        _ target: _EventTarget, of source: AnyObject, _ observers: borrowing ObserverRegistrar, events: Any.Type,
        _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        observe(source, registration, make: make) { TopicTarget(target, of: source, observers, events: events) }
    }

    @usableFromInline
    func unobserve(_ target: _EventTarget, _ observers: borrowing ObserverRegistrar, tag: ObservationTag?) -> Int {
        guard let topics = target.topics else { return unobserve(list: observers.sourceList, tag: tag) }
        let list = topics.list(of: TopicKey(target.subject, of: target.object))
        return withExtendedLifetime(list) { unobserve(list: list.map { Unretained($0) }, tag: tag) }
    }
}

struct TopicTarget: ObservationTarget {
    private let topics: TopicTable
    private let observers: TopicList

    init?(_ target: _EventTarget, of source: AnyObject, _ registrar: borrowing ObserverRegistrar, events: Any.Type) {
        if let object = target.object, isBeingDestroyed(object) { return nil }
        guard let topics = target.topics else { preconditionFailure("Internal error of SafeKVO: no topics. Please report it.") }
        self.topics = topics
        observers = topics.reserve(
            TopicKey(target.subject, of: target.object), object: target.object, events: events,
            record: registrar.record(of: source, .source))
    }

    var list: Unretained<ObserverList> { Unretained(observers) }

    func registrationDidEnd() { topics.release(observers) }
}

extension ObservationController {
    /// Removes all observations of a topic of a source, for every sender and under every tag.
    ///
    /// - Parameters:
    ///   - source: The observed source.
    ///   - topic: The topic. For a source with names, `nil` removes the observations that were registered without a name. Observations of a
    ///     single name stay.
    /// - Returns: The number of removed observations.
    /// - Complexity: O(*k*) for *k* observations of the source by this controller.
    @discardableResult
    public func unobserveAll<Source: ObservationSource>(_ source: Source?, for topic: Source.Topic) -> Int {
        let record = source.flatMap { $0.eventRegistrar.record(ownedBy: $0) }
        let subject = source?._target(of: topic, from: nil).subject
        return core.unobserve(records: record.map { [$0] } ?? []) { info in
            // Compare the topic that the observer selected. An observer of a single topic is in a `TopicList`, which stores the topic. An
            // observer of all events, about any object, is in an ordinary list: its topic is `.anyName`.
            info.withList { ($0 as? TopicList)?.topic.subject ?? .anyName } == subject
        }
    }
}
