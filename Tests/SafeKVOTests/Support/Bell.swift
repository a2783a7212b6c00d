import SafeKVO

/// A source of events.
final class Bell: ObservationSource, Sendable {
    let eventRegistrar = EventRegistrar<Int>()

    func ring(_ times: Int) { eventRegistrar.notify(times) }
}
