extension ObservationController {
    /// Observes a topic of a source.
    package func observe<Source: TopicSource, Event>(
        _ source: Source?, _ subject: Topic.Subject, of object: AnyObject?, _ registration: Registration,
        handler: @escaping (_ observer: Observer, _ event: Event) -> Void
    ) -> ObservationResult {
        core.observe(source, subject, of: object, registration, make: { HandlerInfo(event: $0, handler) })
    }

    /// Observes a topic of a source elsewhere, where events may not go.
    package func observe<Source: TopicSource, Event, Value: Sendable>(
        _ source: Source?, _ subject: Topic.Subject, of object: AnyObject?, _ registration: Registration,
        reading: @escaping @Sendable (_ event: Event) -> Value, handler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        var registration = registration
        registration.read = { event in
            // SAFETY: it is asked of the events of the source that is observed.
            TypedEventBox(unsafe reading(event.assumingType(SourceEvent<Event>.self).pointee.event))
        }
        return core.observe(
            source, subject, of: object, registration,
            make: { parts in
                parts.expect(Event.self)
                return HandlerInfo(read: parts, handler)
            })
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

    /// Removes the observations of a subject, of whatever object and under every tag.
    package func unobserveAll<Source: TopicSource>(_ source: Source?, _ subject: Topic.Subject) -> Int {
        let record = unsafe source?.observationRegistrar.observers.record?.object
        return core.unobserve(records: record.map { [$0] } ?? []) { info in
            unsafe info.list.with { ($0 as? TopicList)?.topic.subject == subject }
        }
    }
}
