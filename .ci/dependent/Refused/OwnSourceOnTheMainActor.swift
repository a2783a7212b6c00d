// error: type 'Doorbell' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO

@MainActor func ownSourceOnTheMainActor(_ doorbell: Doorbell, _ observations: ObservationController<MainListener>) {
    #if LEGAL
        observations.observe(doorbell) { listener, times in listener.hear("\(times)") }
    #else
        observations.observe(doorbell, on: .mainActor { listener, times in listener.hear("\(times)") })
    #endif
}
