// error: passing closure as a 'sending' parameter risks causing data races between 'self'-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO

extension OwnerListener {
    func subjectOfAnActorSentAway() {
        let (subject, own) = (PlainSubject(), ObservationController(observer: self))
        #if LEGAL
            _ = own
        #else
            own.observe(subject, \.number) { owner, number in owner.hear("\(number)") }
        #endif
        Task.detached { subject.number = 1 }
    }
}
