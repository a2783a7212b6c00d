// error: 'observe(_:_:fileID:handler:)' is unavailable: A handler of a change needs 'options:', as in 'options: [.old, .new]'.
import SafeKVO

nonisolated func changeWithoutOptions(_ subject: PlainSubject, _ observations: ObservationController<PlainListener>) {
    #if LEGAL
        observations.observe(subject, \.number, options: .new) { listener, subject, change in listener.numberDidChange(change) }
    #else
        observations.observe(subject, \.number) { listener, subject, change in listener.numberDidChange(change) }
    #endif
}
