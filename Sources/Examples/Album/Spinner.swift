import SafeKVO

/// A spinner that spins until a view has its cover.
final class Spinner {
    private(set) var isSpinning = false

    /// The controller of this spinner.
    ///
    /// The view retains the spinner. So the controller must not retain the view, which it observes.
    private lazy var observations = ObservationController(observer: self, retainsObserved: false)

    /// Spins until the view has a cover.
    ///
    /// If it has one already, the spinner does not spin.
    func spin(until view: AlbumView) {
        observations.observe(view, \.cover) { spinner, cover in spinner.isSpinning = cover == nil }
    }
}
