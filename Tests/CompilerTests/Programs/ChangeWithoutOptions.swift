// error: 'observe(_:_:fileID:handler:)' is unavailable: A handler of a change needs 'options:', as in 'options: [.old, .new]'.
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

final class View {
    var hour = 0
}

func program(_ clock: Clock, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(clock, \.hour, options: .new) { view, clock, change in view.hour = change.newValue ?? 0 }
    #else
        observations.observe(clock, \.hour) { view, clock, change in view.hour = change.newValue ?? 0 }
    #endif
}
