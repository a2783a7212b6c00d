package import SafeKVO

extension _EventTarget {
    /// Selects events of `source` by subject, such as a name.
    ///
    /// With `nil` as `object`, it selects events about any object. If the topics have a watcher, the selection of all events is a topic, too.
    package init(_ subject: TopicKey.Subject, of object: AnyObject?, from source: any TopicSource) {
        self.init(
            TopicSelection(source: source, subject: subject, object: object),
            isEverything: subject == .anyName && object == nil && source.topics.watcher == nil)
    }
}

struct TopicSelection: EventSelection {
    let source: any TopicSource
    let subject: TopicKey.Subject
    let object: AnyObject?

    private var key: TopicKey { TopicKey(subject, of: object) }

    func observe(
        by core: ControllerCore, _ source: AnyObject, _ observers: borrowing ObserverRegistrar, events: Any.Type,
        _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        core.observe(source, registration, make: make) { () -> TopicTarget? in
            if let object, isBeingDestroyed(object) { return nil }
            if self.source !== source { refuse(source) }
            let topics = self.source.topics
            return TopicTarget(
                topics: topics, topic: topics.reserve(key, object: object, events: events, record: observers.record(of: source, .source)))
        }
    }

    var existingList: ObserverList? { source.topics.list(of: key) }

    func hasSameTopic(_ hook: (any ObserverListHook)?) -> Bool {
        // An observer of all events, about any object, is in an ordinary list: its topic is `.anyName`.
        (hook as? Topic)?.key.subject ?? .anyName == subject
    }

    /// Stops the program, because `source` returned the description that another source had made.
    ///
    /// The observers would get events of a type that `source` does not send.
    private func refuse(_ source: AnyObject) -> Never {
        FatalMistake.stop(
            """
            `\(type(of: source))._target(of:from:)` returned a target of another object, a `\(type(of: self.source))`. Leave out `Topic`, `Sender` \
            and `_target(of:from:)`, which are for sources of the library. Observe the other object instead.
            """)
    }
}

struct TopicTarget: ObservationTarget {
    let topics: TopicTable
    let topic: ObservedTopic

    var list: Unretained<ObserverList> { Unretained(topic.list) }

    func registrationDidEnd() { topics.release(topic) }
}
