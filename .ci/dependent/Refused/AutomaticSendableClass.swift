// error: stored property 'observationSlot' of 'Sendable'-conforming class 'AutomaticSendableClass' has non-Sendable type 'ObservationSlot'
// SwiftFive: warning
import SafeKVO

#if LEGAL
    nonisolated final class AutomaticSendableClass: SharedObserver {
        let observationSlot = SharedObservationSlot()
    }
#else
    nonisolated final class AutomaticSendableClass: AutomaticObserver, Sendable {
        let observationSlot = ObservationSlot()
    }
#endif
