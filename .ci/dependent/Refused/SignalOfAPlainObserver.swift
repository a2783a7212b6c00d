// error: type 'PlainListener' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO
import SafeKVOEvents

nonisolated func signalOfAPlainObserver(
    _ signal: Signal<Int>, _ observations: ObservationController<PlainListener>, _ shared: ObservationController<SharedListener>
) {
    #if LEGAL
        shared.observe(signal) { listener, number in listener.hear("\(number)") }
    #else
        observations.observe(signal) { listener, number in listener.hear("\(number)") }
    #endif
}
