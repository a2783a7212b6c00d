// error: main actor-isolated property 'level' can not be mutated from a Sendable closure
import SafeKVO
final class Gauge: KeyValueObject, @unchecked Sendable { @AtomicObserved var level = 0 }
@MainActor final class View { var level = 0 }
@MainActor func program(_ gauge: Gauge, _ views: ObservationController<View>) {
    #if LEGAL
        views.observe(gauge, \.level, on: .mainActor { view, level in view.level = level })
    #else
        views.observe(gauge, \.level, on: .anyThread { view, level in view.level = level })
    #endif
}
