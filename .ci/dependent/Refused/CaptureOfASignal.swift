// error: capture of 'plain' with non-Sendable type 'PlainListener' in a '@Sendable' closure
// SwiftFive: accepted
import SafeKVO
import SafeKVOEvents

nonisolated func captureOfASignal(_ signal: Signal<Int>, _ observations: ObservationController<SharedListener>) {
    let plain = PlainListener()
    #if LEGAL
        observations.observe(signal) { listener, number in listener.hear("\(number)") }
    #else
        observations.observe(signal) { listener, number in plain.hear("\(number)") }
    #endif
}
