// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO

@MainActor final class ControllerSentAway {
    private lazy var observations = ObservationController(observer: self)

    func send() {
        #if LEGAL
            let sent = SharedObservationController(observer: self)
        #else
            let sent = observations
        #endif
        Task.detached { sent.unobserveAll() }
    }
}
