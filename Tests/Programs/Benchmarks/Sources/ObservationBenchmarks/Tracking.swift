import BenchmarkKit
import Observation

/// Tracks once, is told once that something is about to change, and can then begin again.
///
/// As a careful program does: what is called holds nobody. It begins again as soon as the change is over, without a hop.
final class Tracking: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything happens on one thread.
    private weak var view: PeerView?
    private let read: () -> Int
    private var isOver = false

    init(_ view: PeerView, _ read: @escaping () -> Int) {
        self.view = view
        self.read = read
    }

    /// Reads, and tracks what is read.
    func begin() {
        isOver = false
        let value = withObservationTracking(read) { [weak self] in self?.isOver = true }
        guard let view else { return }
        view.sum &+= value &* view.step
    }

    /// Begins again if something has changed.
    func beginAgain() {
        if isOver { begin() }
    }
}
