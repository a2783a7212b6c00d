// error: 'observeOnAnyThread(_:_:removing:tag:ifAlreadyObserved:handler:onEnd:)' is unavailable: Pass the handler in 'on:', as in
import SafeKVO

final class Gauge: KeyValueObject, @unchecked Sendable {
    @AtomicObserved var level = 0
}

final class Log: Sendable {}

func program(_ gauge: Gauge, _ observations: ObservationController<Log>) {
    #if LEGAL
        observations.observe(gauge, \.level, on: .anyThread { _, level in print(level) })
    #else
        observations.observeOnAnyThread(gauge, \.level) { _, level in print(level) }
    #endif
}
