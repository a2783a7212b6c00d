// error: type 'Part' does not conform to the 'Sendable' protocol
import SafeKVO

final class Part {}

final class Machine: KeyValueObject, @unchecked Sendable {
    @Observed var part = Part()
    @AtomicObserved var count = 0
}

@MainActor final class View {
    var seen = 0
}

@MainActor func program(_ machine: Machine, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(machine, \.count, on: .mainActor { view, _ in view.seen += 1 })
    #else
        observations.observe(machine, \.part, on: .mainActor { view, _ in view.seen += 1 })
    #endif
}
