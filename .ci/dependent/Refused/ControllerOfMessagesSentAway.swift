// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO
import SafeKVOEvents

@MainActor func controllerOfMessagesSentAway(_ center: MessageCenter, _ listener: MainListener) {
    let observations = ObservationController(observer: listener)
    #if LEGAL
        observations.observe(center, for: CoverWanted.self, on: .mainActor { listener, message in listener.hear(message.title) })
    #else
        observations.observe(center, for: CoverWanted.self) { listener, message in listener.hear(message.title) }
    #endif
    Task.detached { observations.unobserveAll() }
}
