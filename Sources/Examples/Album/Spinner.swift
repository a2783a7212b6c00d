import SafeKVO

/// A spinner that spins until a view has its cover.
final class Spinner {
    private(set) var isSpinning = false

    /// The spinner's controller, which must not retain the observed view, because the view retains the spinner.
    private lazy var observations = ObservationController(observer: self, retainsObserved: false)

    /// Spins as long as a view has no cover.
    func spin(until view: AlbumView) {
        observations.observe(view, \.cover) { spinner, cover in spinner.isSpinning = cover == nil }
    }
}
