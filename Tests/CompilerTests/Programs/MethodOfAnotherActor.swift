// error: call to main actor-isolated static method 'mainActor(action:)' in a synchronous nonisolated context
import SafeKVO
final class Gauge: KeyValueObject, @unchecked Sendable { @AtomicObserved var level = 0 }
@globalActor actor Pool { static let shared = Pool() }
@Pool final class View { func levelDidChange(_ change: KeyValueChange<Int>) {} }
func program(_ gauge: Gauge, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(
            gauge, \.level, options: .new, on: .globalActor(Pool.self) { @Pool view, _, change in view.levelDidChange(change) })
    #else
        observations.observe(gauge, \.level, options: .new, on: .mainActor(action: View.levelDidChange(_:)))
    #endif
}
