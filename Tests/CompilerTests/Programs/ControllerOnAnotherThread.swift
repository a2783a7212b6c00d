// error: capture of 'observations' with non-Sendable type 'ObservationController<Log>' in a '@Sendable' closure
import Foundation
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

final class Log: Sendable {}

func program(_ clock: Clock, _ log: Log) {
    #if LEGAL
        let observations = SharedObservationController(observer: log)
    #else
        let observations = ObservationController(observer: log)
        observations.observe(clock, \.hour) { _, _ in }
    #endif
    Thread.detachNewThread { observations.unobserveAll() }
}
