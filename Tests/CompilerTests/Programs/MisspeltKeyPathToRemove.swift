// error: reference to member 'hours' cannot be resolved without a contextual type
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
    @Observed var name = ""
}

final class View {
    var seen = 0

    func hourDidChange(_ change: KeyValueChange<Int>) { seen += 1 }
}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.unobserve(clock, \.hour)
    #else
        observations.unobserve(clock, \.hours)
    #endif
}
