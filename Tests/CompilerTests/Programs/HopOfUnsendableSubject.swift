// error: type 'Clock' does not conform to the 'Sendable' protocol
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

@MainActor final class View {
    var hour = 0
}

@MainActor func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(clock, \.hour) { view, hour in view.hour = hour }
    #else
        observations.observe(clock, \.hour, on: .mainActor { view, hour in view.hour = hour })
    #endif
}
