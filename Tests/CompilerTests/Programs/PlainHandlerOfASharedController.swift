// error: missing argument for parameter 'on' in call
import SafeKVO

final class Gauge: KeyValueObject, @unchecked Sendable {
    @AtomicObserved var level = 0
}

final class Log: Sendable {}

func program(_ gauge: Gauge, _ observations: SharedObservationController<Log>) {
    #if LEGAL
        observations.observe(gauge, \.level, on: .anyThread { _, level in print(level) })
    #else
        observations.observe(gauge, \.level) { _, level in print(level) }
    #endif
}
