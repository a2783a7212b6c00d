// error: call to main actor-isolated instance method 'hear' in a synchronous nonisolated context
import SafeKVO

nonisolated func observerOfTheMainActorNowhere(_ subject: SharedSubject, _ observations: ObservationController<MainListener>) {
    #if LEGAL
        observations.observe(subject, \.number, on: .mainActor { listener, number in listener.hear("\(number)") })
    #else
        observations.observe(subject, \.number) { listener, number in listener.hear("\(number)") }
    #endif
}
