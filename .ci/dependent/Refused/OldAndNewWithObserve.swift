// error: 'observe(_:_:handler:)' is unavailable: For the old and the new value, use 'onChange(of:_:)'.
import SafeKVO

nonisolated func oldAndNewWithObserve(_ subject: PlainSubject, _ observations: ObservationController<PlainListener>) {
    #if LEGAL
        observations.onChange(of: subject, \.number) { listener, old, new in listener.hear("\(old + new)") }
    #else
        observations.observe(subject, \.number) { listener, old, new in listener.hear("\(old + new)") }
    #endif
}
