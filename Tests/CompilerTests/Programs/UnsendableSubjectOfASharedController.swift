// error: type 'Clock' does not conform to the 'Sendable' protocol
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

final class Log: Sendable {}

func program(_ clock: Clock, _ log: Log) {
    #if LEGAL
        ObservationController(observer: log).observe(clock, \.hour) { _, hour in print(hour) }
    #else
        SharedObservationController(observer: log).observe(clock, \.hour, on: .anyThread { _, hour in print(hour) })
    #endif
}
