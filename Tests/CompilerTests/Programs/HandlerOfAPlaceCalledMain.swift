// error: 'main' has been renamed to 'mainActor(_:)'
import SafeKVO

final class Clock: KeyValueObject, @unchecked Sendable {
    @Observed var hour = 0
}

final class View: Sendable {}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(clock, \.hour, on: .mainActor { _, _ in })
    #else
        observations.observe(clock, \.hour, on: .main { _, _ in })
    #endif
}
