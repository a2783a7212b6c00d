// error: stored property 'heard' of 'Sendable'-conforming class 'SharedPlainClass' is mutable
// SwiftFive: warning
import SafeKVO

#if LEGAL
    nonisolated final class SharedPlainClass: AutomaticObserver {
        let observationSlot = ObservationSlot()
        var heard: [String] = []
    }
#else
    nonisolated final class SharedPlainClass: SharedObserver {
        let observationSlot = SharedObservationSlot()
        var heard: [String] = []
    }
#endif
