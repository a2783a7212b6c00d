// error: capture of 'list' with non-Sendable type 'List' in a '@Sendable' closure
import SafeKVO

final class Gauge: KeyValueObject, @unchecked Sendable {
    @AtomicObserved var level = 0
}

final class Reader: Sendable {}

final class List {
    var levels: [Int] = []
}

@MainActor func program(_ gauge: Gauge, _ observations: ObservationController<Reader>, _ list: List) {
    #if LEGAL
        observations.observe(gauge, \.level) { _, level in list.levels.append(level) }
    #else
        observations.observe(gauge, \.level, on: .anyThread { _, level in list.levels.append(level) })
    #endif
}
