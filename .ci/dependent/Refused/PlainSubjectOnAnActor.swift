// error: type 'PlainSubject' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO

nonisolated func plainSubjectOnAnActor(
    _ subject: PlainSubject, _ shared: SharedSubject, _ observations: ObservationController<SharedListener>, _ owner: OwnerListener
) {
    #if LEGAL
        observations.observe(shared, \.number, on: .actor(owner) { owner, _, number in owner.hear("\(number)") })
    #else
        observations.observe(subject, \.number, on: .actor(owner) { owner, _, number in owner.hear("\(number)") })
    #endif
}
