// error: type 'PlainSubject' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO

extension OwnerListener {
    func plainSubjectOnTheObserver(_ subject: PlainSubject) {
        let observations = ObservationController(observer: self)
        #if LEGAL
            observations.observe(subject, \.number) { owner, number in owner.hear("\(number)") }
        #else
            observations.observe(subject, \.number, on: .observer { owner, number in owner.hear("\(number)") })
        #endif
    }
}
