// error: 'observe(_:_:handler:)' is unavailable: For the old and the new value, use 'onChange(of:_:)'.
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

final class View {
    var turned = 0
}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.onChange(of: clock, \.hour) { view, old, new in view.turned += new - old }
    #else
        observations.observe(clock, \.hour) { view, old, new in view.turned += new - old }
    #endif
}
