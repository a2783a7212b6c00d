// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO

@MainActor func tokenSentAway(_ subject: MainSubject, _ listener: MainListener) {
    let token = subject.observation(of: \.number) { _, number in listener.hear("\(number)") }
    #if LEGAL
        Task { token.cancel() }
    #else
        Task.detached { token.cancel() }
    #endif
}
