// error: passing closure as a 'sending' parameter risks causing data races between 'self'-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO

extension OwnerListener {
    func controllerOfAnActorSentAway(_ subject: PlainSubject) {
        let own = ObservationController(observer: self)
        own.observe(subject, \.number) { owner, number in owner.hear("\(number)") }
        #if LEGAL
            let shared = observations
            Task.detached { shared.unobserveAll() }
        #else
            Task.detached { own.unobserveAll() }
        #endif
    }
}
