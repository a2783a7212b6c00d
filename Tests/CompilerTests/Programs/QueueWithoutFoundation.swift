// error: 'queue' is unavailable: Add 'import SafeKVOFoundation' to handle values on a DispatchQueue.
import Dispatch
import SafeKVO

final class Clock: KeyValueObject, @unchecked Sendable {
    @Observed var hour = 0
}

final class View: Sendable {}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(clock, \.hour, on: .mainActor { _, _ in })
    #else
        observations.observe(clock, \.hour, on: .queue(DispatchQueue.main) { _, _ in })
    #endif
}
