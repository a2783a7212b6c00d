// error: type 'Gauge' does not conform to the 'Sendable' protocol
import SafeKVO
final class Gauge: KeyValueObject { @Observed var level = 0 }
@MainActor final class View: @MainActor KeyValueObserver {
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Int) {}
}
@MainActor func program(_ gauge: Gauge, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(gauge, \.level, options: .new, context: 1)
    #else
        observations.observe(gauge, \.level, options: .new, on: .mainActor(context: 1))
    #endif
}
