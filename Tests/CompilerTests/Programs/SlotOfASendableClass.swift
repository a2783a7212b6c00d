// error: stored property 'observationSlot' of 'Sendable'-conforming class 'Log' has non-Sendable type 'ObservationSlot'
import SafeKVO

#if LEGAL
    final class Log: SharedObserver {
        let observationSlot = SharedObservationSlot()
    }
#else
    final class Log: AutomaticObserver, Sendable {
        let observationSlot = ObservationSlot()
    }
#endif
