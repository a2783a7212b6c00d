// error: 'observer' is unavailable: the observer is not an actor, or what it is handed is not Sendable
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
