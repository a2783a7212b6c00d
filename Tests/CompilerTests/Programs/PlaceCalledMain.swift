// error: 'main' is unavailable: Pass the handler in 'on:', as in 'on: .mainActor { observer, value in … }'.
import SafeKVO

final class Clock: KeyValueObject, @unchecked Sendable {
    @Observed var hour = 0
}

final class View: Sendable {}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(clock, \.hour, on: .mainActor { _, _ in })
    #else
        observations.observe(clock, \.hour, on: .main) { _, _ in }
    #endif
}
