// error: type 'PlainListener' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO

nonisolated func plainObserverOnAnyThread(
    _ subject: SharedSubject, _ observations: ObservationController<PlainListener>, _ shared: ObservationController<SharedListener>
) {
    #if LEGAL
        shared.observe(subject, \.number, on: .anyThread { _, number in print(number) })
    #else
        observations.observe(subject, \.number, on: .anyThread { _, number in print(number) })
    #endif
}
