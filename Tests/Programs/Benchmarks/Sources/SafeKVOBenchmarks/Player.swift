import BenchmarkKit
import SafeKVO

final class ObservedTrack: KeyValueObject, PlayerTrack {
    @Observed var rating = 0
}

final class Player: KeyValueObject, PlayerModel {
    @Observed var title = "None"
    @Observed var volume = 0
    @Observed var isPlaying = false
    @Observed var track = ObservedTrack()
    @Observed var queue: [Int] = [0]

    var isAudible: Bool { isPlaying && volume > 0 }

    func show(on screen: PlayerScreen) -> ObservationController<PlayerScreen> {
        let observations = ObservationController(observer: screen)
        observations.observe(self, \.title) { screen, title in screen.title = title }
        observations.observe(self, \.volume) { screen, volume in screen.volume = volume }
        observations.observe(self, \.isPlaying) { screen, isPlaying in screen.isPlaying = isPlaying }
        observations.observe(self, \.isAudible) { screen, isAudible in screen.isAudible = isAudible }
        observations.observe(self, \.track.rating) { screen, rating in screen.rating = rating }
        observations.observe(self, \.queue) { screen, queue in screen.queueCount = queue.count }
        return observations
    }
}
