extension ObservationController {
    /// Observes a topic of a source.
    package func observe<Source: TopicSource, Event>(
        _ source: Source?, _ subject: Topic.Subject, of object: AnyObject?, _ registration: Registration,
        handler: @escaping (_ observer: Observer, _ event: Event) -> Void
    ) -> ObservationResult {
        typealias Context = EventHandlerContext<Observer, Event>
        guard let source else { return .refused(.noObject) }
        if let refusal = core.refusal(of: source) { return .refused(refusal) }
        if let object, Unretained(object).isBeingDestroyed { return .refused(.observedGone) }
        let context = Context(handler)
        if subject == .anyName, object == nil {
            let list = source.observationRegistrar.list(of: source)
            return core.register(registration, list: list, keyPath: nil, context: context, invoke: Context.invoke) { _ in }
        }
        let topic = Topic(subject, of: object)
        let list = source.topics.reserve(topic, object: object, record: source.observationRegistrar.observers.record(of: source))
        defer { source.topics.release(list, topic) }
        return core.register(registration, list: list, keyPath: nil, context: context, invoke: Context.invoke) { _ in }
    }

    /// Removes the observation of a topic.
    package func unobserve<Source: TopicSource>(
        _ source: Source?, _ subject: Topic.Subject, of object: AnyObject?, tag: ObservationTag?
    ) -> Int {
        let list =
            subject == .anyName && object == nil
            ? source?.observationRegistrar.existingList : source?.topics.list(of: Topic(subject, of: object))
        return withExtendedLifetime(list) { core.unobserve(list: list.map { Unretained($0) }, tag: tag) }
    }
}
