// error: type 'View' does not conform to the 'Sendable' protocol
import SafeKVO

final class View {}

func program(_ view: View) {
    #if LEGAL
        _ = ObservationController(observer: view)
    #else
        _ = SharedObservationController(observer: view)
    #endif
}
