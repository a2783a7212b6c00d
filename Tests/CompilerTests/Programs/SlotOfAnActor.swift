// error: conformance of 'Station' to protocol 'AutomaticObserver' crosses into actor-isolated code and can cause data races
import SafeKVO

#if LEGAL
    actor Station: SharedObserver {
        nonisolated let observationSlot = SharedObservationSlot()
    }
#else
    actor Station: AutomaticObserver {
        let observationSlot = ObservationSlot()
    }
#endif
