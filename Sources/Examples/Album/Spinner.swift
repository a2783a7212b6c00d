import SafeKVO

final class Spinner {
    private(set) var isSpinning = false

    /// The view retains the spinner, so this controller must not retain the view.
    private lazy var observations = ObservationController(observer: self, retainsObserved: false)

    func spin(until view: AlbumView) {
        observations.observe(view, \.cover) { spinner, cover in spinner.isSpinning = cover == nil }
    }
}
