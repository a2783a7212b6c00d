// error: type 'PlainSubject' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO

nonisolated func plainSubjectOnAnyThread(
    _ subject: PlainSubject, _ shared: SharedSubject, _ observations: ObservationController<SharedListener>
) {
    #if LEGAL
        observations.observe(shared, \.number, on: .anyThread { _, number in print(number) })
    #else
        observations.observe(subject, \.number, on: .anyThread { _, number in print(number) })
    #endif
}
