import BenchmarkKit
import Observation

@Observable
final class ObservableTrack: PlayerTrack {
    var rating = 0

    init() {}
}

@Observable
final class ObservablePlayer: PlayerModel {
    var title = "None"
    var volume = 0
    var isPlaying = false
    var track = ObservableTrack()
    var queue = [0]

    @ObservationIgnored private weak var rendering: Rendering?

    var isAudible: Bool { isPlaying && volume > 0 }

    init() {}

    func show(on screen: PlayerScreen) -> Rendering {
        let rendering = Rendering(self, screen)
        self.rendering = rendering
        rendering.render()
        return rendering
    }

    func didChange() { rendering?.renderAgain() }
}

/// Renders everything, and again after each change, as soon as the setter has returned.
final class Rendering: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything happens on one thread.
    private weak var player: ObservablePlayer?
    private weak var screen: PlayerScreen?
    private var isOver = false

    init(_ player: ObservablePlayer, _ screen: PlayerScreen) {
        self.player = player
        self.screen = screen
    }

    func render() {
        guard let player, let screen else { return }
        isOver = false
        withObservationTracking {
            screen.title = player.title
            screen.volume = player.volume
            screen.isPlaying = player.isPlaying
            screen.isAudible = player.isAudible
            screen.rating = player.track.rating
            screen.queueCount = player.queue.count
        } onChange: { [weak self] in
            self?.isOver = true
        }
    }

    func renderAgain() {
        if isOver { render() }
    }
}
