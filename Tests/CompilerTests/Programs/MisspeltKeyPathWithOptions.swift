// error: value of type 'Clock' has no member 'hours'
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
        observations.observe(clock, \.hour, options: .old) { view, _, _ in view.seen += 1 }
    #else
        observations.observe(clock, \.hours, options: .old) { view, _, _ in view.seen += 1 }
    #endif
}
