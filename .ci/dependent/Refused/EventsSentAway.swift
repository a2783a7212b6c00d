// error: passing closure as a 'sending' parameter risks causing data races between main actor-isolated code and concurrent execution of the closure
// SwiftFive: accepted
import SafeKVO
import SafeKVOEvents

@MainActor func eventsSentAway(_ signal: Signal<Int>, _ listener: MainListener) {
    #if LEGAL
        let numbers = SharedObservationController(observer: listener).events(of: signal)
    #else
        let numbers = listener.observations.events(of: signal)
    #endif
    Task.detached {
        for await number in numbers { print(number) }
    }
}
