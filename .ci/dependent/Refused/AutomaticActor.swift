// error: conformance of 'AutomaticActor' to protocol 'AutomaticObserver' crosses into actor-isolated code and can cause data races
// SwiftFive: warning
import SafeKVO

#if LEGAL
    actor AutomaticActor: SharedObserver {
        nonisolated let observationSlot = SharedObservationSlot()
    }
#else
    actor AutomaticActor: AutomaticObserver {
        let observationSlot = ObservationSlot()
    }
#endif
