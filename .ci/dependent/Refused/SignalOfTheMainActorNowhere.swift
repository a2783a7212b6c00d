// error: call to main actor-isolated instance method 'hear' in a synchronous nonisolated context
import SafeKVO
import SafeKVOEvents

nonisolated func signalOfTheMainActorNowhere(_ signal: Signal<Int>, _ observations: ObservationController<MainListener>) {
    #if LEGAL
        observations.observe(signal, on: .mainActor { listener, number in listener.hear("\(number)") })
    #else
        observations.observe(signal) { listener, number in listener.hear("\(number)") }
    #endif
}
