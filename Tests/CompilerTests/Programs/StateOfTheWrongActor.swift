// error: main actor-isolated property 'title' can not be mutated from a nonisolated context
import SafeKVO

final class Gauge: KeyValueObject, @unchecked Sendable {
    @AtomicObserved var level = 0
}

@MainActor final class Window {
    var title = ""
}

actor Station {
    var level = 0
}

func program(_ gauge: Gauge, _ station: Station, _ observations: ObservationController<Station>, _ window: Window) {
    #if LEGAL
        observations.observe(gauge, \.level, on: .observer { station, level in station.level = level })
    #else
        observations.observe(gauge, \.level, on: .observer { station, level in window.title = "\(level)" })
    #endif
}
