// error: type 'Clock' does not conform to the 'Sendable' protocol
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

final class Log: Sendable {}

func program(_ clock: Clock, _ log: Log) {
    #if LEGAL
        _ = ObservationController(observer: log).values(of: clock, \.hour)
    #else
        _ = SharedObservationController(observer: log).values(of: clock, \.hour)
    #endif
}
