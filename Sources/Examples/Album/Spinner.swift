import SafeKVO

@MainActor final class Spinner {
    private(set) var isSpinning = false

    /// Observes a view, but does not retain it: the view retains this spinner, which retains the controller.
    private lazy var observations = ObservationController(observer: self, retainsObserved: false)

    func spin(until view: AlbumView) {
        observations.observe(view, \.cover) { spinner, cover in spinner.isSpinning = cover == nil }
    }
}
