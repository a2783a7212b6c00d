// error: cannot convert value of type 'String' to expected argument type 'KeyPath<Clock, Int>'
import SafeKVO

final class Clock: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var load = 0
}

final class View {
    var seen = 0

    func loadDidChange(_ change: KeyValueChange<Int>) { seen += 1 }
}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(clock, \.load, options: .new, action: View.loadDidChange)
    #else
        observations.observe(clock, "load", options: .new, action: View.loadDidChange)
    #endif
}
