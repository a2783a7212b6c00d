// error: type 'Part' does not conform to the 'Sendable' protocol
import SafeKVO
final class Part {}
final class Machine: KeyValueObject, @unchecked Sendable {
    @Observed var part = Part()
    @AtomicObserved var count = 0
    @AtomicObserved var name = ""
}
@MainActor final class View { var seen = 0 }
@MainActor func program(_ machine: Machine, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observeEach(machine, all: \.count, \.name, on: .mainActor { view, _, _ in view.seen += 1 })
    #else
        observations.observeEach(machine, all: \.count, \.part, on: .mainActor { view, _, _ in view.seen += 1 })
    #endif
}
