// error: call to actor-isolated instance method 'hear' in a synchronous nonisolated context
import SafeKVO

extension OwnerListener {
    func severalOfAnActor(_ subject: PlainSubject, _ own: ObservationController<OwnerListener>) {
        #if LEGAL
            own.observeEach(subject, [\.number, \.name]) { owner, _, _ in owner.assumeIsolated { $0.hear("several") } }
        #else
            own.observeEach(subject, [\.number, \.name]) { owner, _, _ in owner.hear("several") }
        #endif
    }
}
