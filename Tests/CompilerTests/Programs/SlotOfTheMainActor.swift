// error: conformance of 'View' to protocol 'AutomaticObserver' crosses into main actor-isolated code and can cause data races
import SafeKVO

#if LEGAL
    @MainActor final class View: @MainActor AutomaticObserver {
        let observationSlot = ObservationSlot()
    }
#else
    @MainActor final class View: AutomaticObserver {
        let observationSlot = ObservationSlot()
    }
#endif
