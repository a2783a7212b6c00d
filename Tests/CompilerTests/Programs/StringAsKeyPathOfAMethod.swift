// error: 'observe(_:_:options:tag:action:)' is unavailable: write a key path, such as \.load, instead of a string
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var load = 0
}

final class View {
    var seen = 0

    func loadDidChange(_ change: KeyValueChange<Int>) { seen += 1 }
}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(clock, \.load, action: View.loadDidChange)
    #else
        observations.observe(clock, "load", action: View.loadDidChange)
    #endif
}
