// error: 'observer' is unavailable: The observer must be an actor, and the value Sendable. Otherwise leave 'on:' out.
import SafeKVO
final class Gauge: KeyValueObject, @unchecked Sendable { @AtomicObserved var level = 0 }
@MainActor final class View { var level = 0 }
actor Station { var level = 0 }
func program(_ gauge: Gauge, _ views: ObservationController<View>, _ stations: ObservationController<Station>) {
    #if LEGAL
        stations.observe(gauge, \.level, on: .observer { station, level in station.level = level })
    #else
        views.observe(gauge, \.level, on: .observer { view, level in })
    #endif
}
