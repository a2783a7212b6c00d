// error: cannot form key path to main actor-isolated property 'number'
// SwiftFive: warning
import SafeKVO

nonisolated func subjectOfTheMainActorNowhere(
    _ subject: MainSubject, _ plain: PlainSubject, _ observations: ObservationController<PlainListener>
) {
    #if LEGAL
        observations.observe(plain, \.number) { listener, number in listener.hear("\(number)") }
    #else
        observations.observe(subject, \.number) { listener, number in listener.hear("\(number)") }
    #endif
}
