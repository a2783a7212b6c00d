// error: type 'PlainListener' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO

nonisolated func sharedControllerOfAPlainObserver(_ plain: PlainListener, _ shared: SharedListener) {
    #if LEGAL
        _ = SharedObservationController(observer: shared)
    #else
        _ = SharedObservationController(observer: plain)
    #endif
}
