// error: capture of 'observations' with non-Sendable type 'ObservationController<Log>' in a '@Sendable' closure
import Foundation
import SafeKVO

final class Gauge: KeyValueObject, @unchecked Sendable {
    @AtomicObserved var level = 0
}

final class Log: Sendable {}

func program(_ gauge: Gauge, _ log: Log) {
    #if LEGAL
        let observations = SharedObservationController(observer: log)
        observations.observe(gauge, \.level, on: .anyThread { _, level in print(level) })
    #else
        let observations = ObservationController(observer: log)
        observations.observe(gauge, \.level) { _, level in print(level) }
    #endif
    observations.pause()
    Thread.detachNewThread { observations.resume() }
}
