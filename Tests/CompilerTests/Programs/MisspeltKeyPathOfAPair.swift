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
        observations.onChange(of: clock, \.hour) { view, old, new in view.seen = new - old }
    #else
        observations.onChange(of: clock, \.hours) { view, old, new in view.seen = new - old }
    #endif
}
