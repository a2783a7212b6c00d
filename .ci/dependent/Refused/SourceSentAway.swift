// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO

@MainActor func sourceSentAway(_ observations: ObservationController<MainListener>) {
    let doorbell = Doorbell()
    #if !LEGAL
        observations.observe(doorbell) { listener, times in listener.hear("\(times)") }
    #endif
    Task.detached { doorbell.ring() }
}
