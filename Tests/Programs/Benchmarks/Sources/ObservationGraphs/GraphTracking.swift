import GraphKit
import Observation

/// Shows what it reads, and is told once that something is about to change.
final class GraphTracking: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything happens on one thread.
    private weak var view: GraphView?
    private let slot: GraphSlot
    private let ended: EndedTrackings
    private let read: () -> Int

    init(_ view: GraphView, _ slot: GraphSlot, _ ended: EndedTrackings, _ read: @escaping () -> Int) {
        self.view = view
        self.slot = slot
        self.ended = ended
        self.read = read
    }

    /// Reads, shows, and tracks what is read.
    func begin() {
        let value = withObservationTracking(read) { [weak self] in
            if let self { ended.add(self) }
        }
        view?.show(value, in: slot)
    }
}

/// The trackings that a write has ended: they begin again as soon as the setter has returned, without a hop.
final class EndedTrackings: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything happens on one thread.
    private var trackings: [GraphTracking] = []

    func add(_ tracking: GraphTracking) { trackings.append(tracking) }

    func beginAgain() {
        let ended = trackings
        trackings.removeAll(keepingCapacity: true)
        for tracking in ended { tracking.begin() }
    }
}
