import SafeKVO
import SafeKVOTesting
import Testing

/// The examples of the articles on coming from other libraries.
@Suite struct MigrationTests {
    // snippet: migrated-controller
    final class Station: KeyValueObject {
        @Observed var temperature = 20.0
        @Observed var wind: Double?
        @Observed var name = "North"
    }

    final class StationView: KeyValueObject {  // observable, for it observes itself
        @Observed var isCompact = false
        private(set) var lines: [String] = []
        private lazy var observations = ObservationController(observer: self)

        func show(_ station: Station) {
            observations.observe(station, \.temperature) { view, degrees in view.lines.append("\(degrees)°") }
            observations.observe(station, \.wind, options: [.old, .new]) { view, _, change in
                view.lines.append("wind \(change.oldValue.flatMap(\.self) ?? 0) → \(change.newValue.flatMap(\.self) ?? 0)")
            }
            observations.observe(station, \.name, options: [.initial, .new], action: StationView.nameDidChange(_:))
            observations.observe(self, \.isCompact, options: .new, action: StationView.layOut)
        }

        func hide(_ station: Station) { observations.unobserve(station) }

        private func nameDidChange(_ change: KeyValueChange<String>) { lines.append(change.newValue ?? "") }
        private func layOut() { lines.append(isCompact ? "compact" : "wide") }
    }
    // end snippet

    @Test("Article on migrating from KVOController: three paths, an action and a self-observation")
    func fromKVOController() throws {
        let tracker = LifetimeTracker()
        do {
            let (station, view) = (tracker.track(Station()), tracker.track(StationView()))
            view.show(station)
            station.temperature = 21
            station.wind = 5
            station.name = "South"
            view.isCompact = true
            view.hide(station)
            station.name = "East"
            #expect(view.lines == ["20.0°", "North", "21.0°", "wind 0.0 → 5.0", "South", "compact"])
        }
        try tracker.expectAllGone()
    }

    // snippet: migrated-tokens
    final class Player: KeyValueObject {
        @Observed var track = 1
        @Observed private(set) var isPlaying = false
        func play() { isPlaying = true }
    }

    final class PlayerView {
        private(set) var text = ""
        private lazy var observations = ObservationController(observer: self)

        func show(_ player: Player) {
            observations.observe(player, \.track, options: [.initial, .new]) { view, _, change in
                view.text = "track \(change.newValue ?? 0)"
            }
            observations.observe(player, \.isPlaying, options: .new) { view, player, _ in view.text = "playing \(player.track)" }
        }

        func hide(_ player: Player) { observations.unobserve(player) }
    }
    // end snippet

    @Test("Article on migrating from NSKeyValueObservation")
    func fromTokens() {
        let (player, view) = (Player(), PlayerView())
        view.show(player)
        #expect(view.text == "track 1")
        player.track = 2
        player.play()
        #expect(view.text == "playing 2")
        view.hide(player)
        player.track = 3
        #expect(view.text == "playing 2")
    }
}
