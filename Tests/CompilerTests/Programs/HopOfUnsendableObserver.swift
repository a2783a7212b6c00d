// error: type 'View' does not conform to the 'Sendable' protocol
import SafeKVO

final class Gauge: KeyValueObject, @unchecked Sendable {
    @Observed var level = 0
}

final class View {
    var level = 0
}

func program(_ gauge: Gauge, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(gauge, \.level) { view, level in view.level = level }
    #else
        observations.observe(gauge, \.level, on: .mainActor { view, level in view.level = level })
    #endif
}
