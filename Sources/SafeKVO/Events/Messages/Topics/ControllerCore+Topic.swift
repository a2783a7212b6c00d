extension ControllerCore {
    /// Observes a topic of a source.
    func observe<Source: TopicSource>(
        _ source: Source?, _ subject: Topic.Subject, of object: AnyObject?, _ registration: Registration,
        make: InfoParts.Maker
    ) -> ObservationResult {
        guard let source else { return registration.refused(.noObject) }
        if let refusal = refusal(of: source) { return registration.refused(refusal) }
        // SAFETY: the caller holds the object.
        if let object, unsafe Unretained(object).isBeingDestroyed { return registration.refused(.observedGone) }
        if subject == .anyName, object == nil {
            return register(registration, list: source.observationRegistrar.list(of: source), make: make)
        }
        let topic = Topic(subject, of: object)
        let list = source.topics.reserve(
            topic, object: object, events: Source.Event.self, record: source.observationRegistrar.record(of: source))
        defer { source.topics.release(list) }
        return register(registration, list: list, make: make)
    }
}
