import SafeKVO

/// A subject that changes in its `deinit`, and there uses its controllers for the first time unless it has before.
class DeathSubject: KeyValueObject, AutomaticObserver {
    let observationSlot = ObservationSlot()
    let probe = Probe()
    @Observed var value = 0
    @Observed var middle: DeathSubject?
    /// What is refused in `deinit`, as it should be.
    var refusals: ((_ isRefused: Bool) -> Void)?

    deinit {
        probe.end()
        value = -1
        middle?.value = -1
        middle = nil
        guard let refusals else { return }
        let none = DeathSubject()
        refusals(observations.observe(self, \.value, options: .new) { _, _, _ in } == .refused(.objectDeinitialized))
        refusals(nonRetainingObservations.observe(none, \.value, options: .new) { _, _, _ in } == .refused(.observerDeinitialized))
        refusals(observations.unobserveAll() == 0)
    }
}
