import SafeKVO

/// Turns until a view has its cover.
final class Spinner {
    private(set) var isSpinning = false

    /// The view owns the spinner, so the spinner must not keep the view.
    private lazy var observations = ObservationController(observer: self, retainsObserved: false)

    /// Spins until the view has a cover; not at all if it has one.
    func spin(until view: AlbumView) {
        observations.observe(view, \.cover) { spinner, cover in spinner.isSpinning = cover == nil }
    }
}
