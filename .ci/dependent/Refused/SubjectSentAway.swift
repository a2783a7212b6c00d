// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO

@MainActor func subjectSentAway(_ observations: ObservationController<MainListener>) {
    let subject = PlainSubject()
    #if !LEGAL
        observations.observe(subject, \.number) { listener, number in listener.hear("\(number)") }
    #endif
    Task.detached { subject.number = 1 }
}
