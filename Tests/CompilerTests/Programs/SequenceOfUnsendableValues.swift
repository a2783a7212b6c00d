// error: type 'Part' does not conform to the 'Sendable' protocol
import SafeKVO

final class Part {}

final class Machine: KeyValueObject {
    @Observed var part = Part()
    @Observed var count = 0
}

final class View {}

func program(_ machine: Machine, _ observations: ObservationController<View>) {
    #if LEGAL
        _ = observations.values(of: machine, \.count)
    #else
        _ = observations.values(of: machine, \.part)
    #endif
}
