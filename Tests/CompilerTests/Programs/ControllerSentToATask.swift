// error: passing closure as a 'sending' parameter risks causing data races between code in the current task and concurrent
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

final class Log: Sendable {}

func program(_ clock: Clock, _ log: Log) async {
    let observations = ObservationController(observer: log)
    observations.observe(clock, \.hour) { _, _ in }
    #if LEGAL
        observations.unobserveAll()
    #else
        _ = await Task.detached { observations.unobserveAll() }.value
    #endif
    clock.hour = 1
}
