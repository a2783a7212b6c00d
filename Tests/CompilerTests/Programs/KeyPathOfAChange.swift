// error: value of type 'KeyValueChange<Int>' has no member 'keyPath'
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

final class View {
    var keyPath: AnyKeyPath?
}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observeEach(clock, [\.hour]) { view, _, change in view.keyPath = change.keyPath }
    #else
        observations.observe(clock, \.hour, options: .new) { view, _, change in view.keyPath = change.keyPath }
    #endif
}
