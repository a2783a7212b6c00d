// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO

nonisolated final class Gong: SharedObservationSource {
    let eventRegistrar = EventRegistrar<Int>()
    func strike() { eventRegistrar.notify(1) }
}

@MainActor func sharedSourceSentAway(_ observations: ObservationController<MainListener>) {
    let gong = Gong()
    #if !LEGAL
        observations.observe(gong) { listener, times in listener.hear("\(times)") }
    #endif
    Task.detached { gong.strike() }
}
