// error: missing argument for parameter 'on' in call
import SafeKVO

@MainActor func plainFormOfASharedController(_ subject: SharedSubject, _ observations: SharedObservationController<MainListener>) {
    #if LEGAL
        observations.observe(subject, \.number, on: .mainActor { listener, number in listener.hear("\(number)") })
    #else
        observations.observe(subject, \.number) { listener, number in listener.hear("\(number)") }
    #endif
}
