// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO

@MainActor func sequenceOfAControllerSentAway(_ subject: SharedSubject, _ listener: MainListener) {
    #if LEGAL
        let numbers = SharedObservationController(observer: listener).values(of: subject, \.number)
    #else
        let numbers = listener.observations.values(of: subject, \.number)
    #endif
    Task.detached {
        for await number in numbers { print(number) }
    }
}
