import BenchmarkKit
import OpenCombine

final class PublishedTrack: PlayerTrack {
    @Published var rating = 0
}

final class PublishedPlayer: PlayerModel {
    @Published var title = "None"
    @Published var volume = 0
    @Published var isPlaying = false
    @Published var track = PublishedTrack()
    @Published var queue = [0]

    var isAudible: Bool { isPlaying && volume > 0 }

    func show(on screen: PlayerScreen) -> [AnyCancellable] {
        // OpenCombine 0.14 has no combineLatest.
        let volumes = $volume
        let isAudible = $isPlaying.map { isPlaying in volumes.map { isPlaying && $0 > 0 } }.switchToLatest()
        return [
            $title.sink { [weak screen] in screen?.title = $0 },
            $volume.sink { [weak screen] in screen?.volume = $0 },
            $isPlaying.sink { [weak screen] in screen?.isPlaying = $0 },
            isAudible.sink { [weak screen] in screen?.isAudible = $0 },
            $track.map { $0.$rating }.switchToLatest().sink { [weak screen] in screen?.rating = $0 },
            $queue.sink { [weak screen] in screen?.queueCount = $0.count },
        ]
    }
}
