/// A description of the events that an observer selects: all events of a source, or those of one topic.
public struct _EventTarget {
    /// The source that made this description; `nil` if all events of the source are selected.
    let source: (any TopicSource)?
    @usableFromInline let isEverything: Bool
    let subject: TopicKey.Subject
    let object: AnyObject?

    /// Selects events of `source` by subject, such as a name.
    ///
    /// With `nil` as `object`, it selects events about any object. If the topics have a watcher, the selection of all events is a topic, too.
    package init(_ subject: TopicKey.Subject, of object: AnyObject?, from source: any TopicSource) {
        isEverything = subject == .anyName && object == nil && source.topics.watcher == nil
        self.source = isEverything ? nil : source
        self.subject = subject
        self.object = object
    }

    @usableFromInline
    init() {
        isEverything = true
        source = nil
        subject = .anyName
        object = nil
    }

    /// Stops the program, because `source` returned the description that another source had made.
    ///
    /// The observers would get events of a type that `source` does not send.
    func refuse(_ source: AnyObject) -> Never {
        Mistake.stop(
            """
            `\(type(of: source))._target(of:from:)` returned a target of another object\(self.source.map { ", a `\(type(of: $0))`" } ?? ""). Leave \
            out `Topic`, `Sender` and `_target(of:from:)`, which are for sources of the library. Observe the other object instead.
            """)
    }
}

extension ControllerCore {
    @inlinable
    func observe<Source: ObservationSource>(
        _ source: Source?, _ topic: Source.Topic, _ sender: Source.Sender, _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        guard let source else { return registration.refused(.noObject) }
        if let refusal = registration.refusal(ofSource: source) { return registration.refused(refusal, of: source) }
        let target = source._target(of: topic, from: sender)
        if !target.isEverything {
            return observe(target, of: source, source.eventRegistrar.observers, events: Source.Event.self, registration, make: make)
        }
        // `list(of:)` creates the source's observer list if there is none. A source that is being deallocated must not get one, so check
        // first.
        if let refusal = refusal(of: source, registration) { return registration.refused(refusal, of: source) }
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
        guard let topics = target.source?.topics else { return unobserve(list: observers.sourceList, tag: tag) }
        let list = topics.list(of: TopicKey(target.subject, of: target.object))
        return withExtendedLifetime(list) { unobserve(list: list.map { Unretained($0) }, tag: tag) }
    }
}

extension Registration {
    /// Returns the refusal of a source on which any thread may notify, or `nil` if the handler has an isolation or is `Sendable`.
    @usableFromInline
    func refusal(ofSource source: AnyObject) -> ObservationResult.Refusal? {
        flags.isUnprotected && flags.handlerKind != .sequence && source is any SharedObservationSource ? .noIsolation : nil
    }
}

struct TopicTarget: ObservationTarget {
    private let topics: TopicTable
    private let observers: TopicList

    init?(_ target: _EventTarget, of source: AnyObject, _ registrar: borrowing ObserverRegistrar, events: Any.Type) {
        if let object = target.object, isBeingDestroyed(object) { return nil }
        guard let maker = target.source, maker === source else { target.refuse(source) }
        topics = maker.topics
        observers = topics.reserve(
            TopicKey(target.subject, of: target.object), object: target.object, events: events,
            record: registrar.record(of: source, .source))
    }

    var list: Unretained<ObserverList> { Unretained(observers) }

    func registrationDidEnd() { topics.release(observers) }
}

extension ObservationControllerBase {
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
