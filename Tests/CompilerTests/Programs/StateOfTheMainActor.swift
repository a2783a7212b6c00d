// error: main actor-isolated property 'title' can not be mutated from a nonisolated context
import SafeKVO

final class Gauge: KeyValueObject, @unchecked Sendable {
    @AtomicObserved var level = 0
}

@MainActor final class Window {
    var title = ""
}

final class Reader: Sendable {}

func program(_ gauge: Gauge, _ observations: ObservationController<Reader>, _ window: Window) {
    #if LEGAL
        observations.observe(gauge, \.level, on: .mainActor { _, level in window.title = "\(level)" })
    #else
        observations.observe(gauge, \.level) { _, level in window.title = "\(level)" }
    #endif
}
