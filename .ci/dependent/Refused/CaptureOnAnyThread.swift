// error: capture of 'plain' with non-Sendable type 'PlainListener' in a '@Sendable' closure
// SwiftFive: accepted
import SafeKVO

nonisolated func captureOnAnyThread(_ subject: SharedSubject, _ observations: SharedObservationController<SharedListener>) {
    let plain = PlainListener()
    #if LEGAL
        observations.observe(subject, \.number, on: .anyThread { listener, number in listener.hear("\(number)") })
    #else
        observations.observe(subject, \.number, on: .anyThread { listener, number in plain.hear("\(number)") })
    #endif
}
