// error: cannot form key path to global actor 'Pool'-isolated property 'number'
// SwiftFive: warning
import SafeKVO

@MainActor func subjectOfAnotherActor(_ subject: PoolSubject, _ own: MainSubject, _ observations: ObservationController<MainListener>) {
    #if LEGAL
        observations.observe(own, \.number) { listener, number in listener.hear("\(number)") }
    #else
        observations.observe(subject, \.number) { listener, number in listener.hear("\(number)") }
    #endif
}
