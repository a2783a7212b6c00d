import BenchmarkKit

final class HandTrack: PlayerTrack {
    weak var player: HandPlayer?
    var rating = 0 { didSet { player?.ratingDidChange() } }
}

/// A view model for one screen, which it refers to weakly and knows by closures.
final class HandPlayer: PlayerModel {
    var title = "None" { didSet { if let screen { titleDidChange?(screen, title) } } }
    var volume = 0 {
        didSet {
            if let screen { volumeDidChange?(screen, volume) }
            isAudibleMayHaveChanged()
        }
    }
    var isPlaying = false {
        didSet {
            if let screen { isPlayingDidChange?(screen, isPlaying) }
            isAudibleMayHaveChanged()
        }
    }
    var track = HandTrack() {
        willSet { track.player = nil }
        didSet {
            track.player = self
            ratingDidChange()
        }
    }
    var queue = [0] { didSet { if let screen { queueDidChange?(screen, queue) } } }

    weak var screen: PlayerScreen?
    var titleDidChange: ((PlayerScreen, String) -> Void)?
    var volumeDidChange: ((PlayerScreen, Int) -> Void)?
    var isPlayingDidChange: ((PlayerScreen, Bool) -> Void)?
    var isAudibleDidChange: ((PlayerScreen, Bool) -> Void)?
    var trackDidChange: ((PlayerScreen, Int) -> Void)?
    var queueDidChange: ((PlayerScreen, [Int]) -> Void)?

    var isAudible: Bool { isPlaying && volume > 0 }

    init() { track.player = self }

    func ratingDidChange() {
        if let screen { trackDidChange?(screen, track.rating) }
    }

    private func isAudibleMayHaveChanged() {
        if let screen { isAudibleDidChange?(screen, isAudible) }
    }

    func show(on screen: PlayerScreen) {
        self.screen = screen
        titleDidChange = { screen, title in screen.title = title }
        volumeDidChange = { screen, volume in screen.volume = volume }
        isPlayingDidChange = { screen, isPlaying in screen.isPlaying = isPlaying }
        isAudibleDidChange = { screen, isAudible in screen.isAudible = isAudible }
        trackDidChange = { screen, rating in screen.rating = rating }
        queueDidChange = { screen, queue in screen.queueCount = queue.count }
        screen.title = title
        screen.volume = volume
        screen.isPlaying = isPlaying
        screen.isAudible = isAudible
        screen.rating = track.rating
        screen.queueCount = queue.count
    }
}
