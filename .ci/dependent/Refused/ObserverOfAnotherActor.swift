// error: call to global actor 'Pool'-isolated instance method 'hear' in a synchronous main actor-isolated context
import SafeKVO

@MainActor func observerOfAnotherActor(_ subject: SharedSubject, _ observations: ObservationController<PoolListener>) {
    #if LEGAL
        observations.observe(subject, \.number, on: .globalActor(Pool.self) { @Pool listener, number in listener.hear("\(number)") })
    #else
        observations.observe(subject, \.number) { listener, number in listener.hear("\(number)") }
    #endif
}
