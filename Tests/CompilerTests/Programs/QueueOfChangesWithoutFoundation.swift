// error: 'queue' is unavailable: Add 'import SafeKVOFoundation' to handle changes on a DispatchQueue.
import Dispatch
import SafeKVO

final class Clock: KeyValueObject, @unchecked Sendable {
    @Observed var hour = 0
}

final class View: Sendable {}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(clock, \.hour, options: .old, on: .mainActor { _, _, _ in })
    #else
        observations.observe(clock, \.hour, options: .old, on: .queue(DispatchQueue.main) { _, _, _ in })
    #endif
}
