// error: no exact matches in call to instance method 'observe'
import SafeKVO

extension OwnerListener {
    func actionOfAnActor(_ subject: SharedSubject, _ own: ObservationController<OwnerListener>) {
        #if LEGAL
            own.observe(subject, \.number) { owner, _ in owner.reload() }
        #else
            own.observe(subject, \.number, action: OwnerListener.reload)
        #endif
    }

    func reload() {}
}
