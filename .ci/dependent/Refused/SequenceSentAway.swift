// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO

@MainActor func sequenceSentAway(_ subject: SharedSubject) {
    #if LEGAL
        let numbers = subject.sharedValues(of: \.number)
    #else
        let numbers = subject.values(of: \.number)
    #endif
    Task.detached {
        for await number in numbers { print(number) }
    }
    withExtendedLifetime(numbers) {}
}
