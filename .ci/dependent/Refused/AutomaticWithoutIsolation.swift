// error: conformance of 'AutomaticWithoutIsolation' to protocol 'AutomaticObserver' crosses into main actor-isolated code and can cause data races
// DefaultMainActor: accepted
// Xcode26: accepted
// SwiftFive: warning
import SafeKVO

#if LEGAL
    @MainActor final class AutomaticWithoutIsolation: @MainActor AutomaticObserver {
        let observationSlot = ObservationSlot()
    }
#else
    @MainActor final class AutomaticWithoutIsolation: AutomaticObserver {
        let observationSlot = ObservationSlot()
    }
#endif
