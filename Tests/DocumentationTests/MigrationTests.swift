import SafeKVO
import SafeKVOTesting
import Testing

/// The examples of the articles on coming from other libraries.
@Suite struct MigrationTests {
    // snippet: migrated-controller
    final class Station: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var temperature = 20.0
        @Observed var wind: Double?
        @Observed var name = "North"
    }

    final class StationView: KeyValueObservable {  // observable, for it observes itself
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var isCompact = false
        private(set) var lines: [String] = []
        private lazy var observations = ObservationController(observer: self)

        func show(_ station: Station) {
            observations.observe(station, \.temperature) { view, degrees in
                view.lines.append("\(degrees)°")
            }
            observations.observe(station, \.wind, options: [.old, .new]) {
                view, _, change in
                let (old, new) = (change.oldValue ?? nil, change.newValue ?? nil)
                view.lines.append("wind \(old ?? 0) → \(new ?? 0)")
            }
            observations.observe(
                station, \.name, options: [.initial, .new],
                action: StationView.nameDidChange(_:))
            observations.observe(
                self, \.isCompact, initial: false, action: StationView.layOut)
        }

        func hide(_ station: Station) { observations.unobserve(station) }

        private func nameDidChange(_ change: KeyValueChange<String>) {
            lines.append(change.newValue ?? "")
        }
        private func layOut() { lines.append(isCompact ? "compact" : "wide") }
    }
    // end snippet

    @Test("Article on migrating, from KVOController: three paths, an action and a self-observation")
    func fromKVOController() throws {
        let tracker = LifetimeTracker()
        do {
            let (station, view) = (tracker.track(Station()), tracker.track(StationView()))
            // snippet: migrated-controller-use
            view.show(station)
            station.temperature = 21
            station.wind = 5
            station.name = "South"
            view.isCompact = true
            view.hide(station)
            station.name = "East"  // no call
            print(view.lines)
            // prints ["20.0°", "North", "21.0°", "wind 0.0 → 5.0", "South", "compact"]
            // end snippet
            #expect(view.lines == ["20.0°", "North", "21.0°", "wind 0.0 → 5.0", "South", "compact"])
        }
        try tracker.expectAllGone()
    }

    // snippet: migrated-tokens
    final class Player: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var track = 1
        @Observed private(set) var isPlaying = false
        func play() { isPlaying = true }
    }

    final class PlayerView {
        private(set) var text = ""
        private lazy var observations = ObservationController(observer: self)

        func show(_ player: Player) {
            observations.observe(player, \.track) { view, track in
                view.text = "track \(track)"
            }
            observations.observe(player, \.isPlaying, options: .new) {
                view, player, _ in view.text = "playing \(player.track)"
            }
        }

        func hide(_ player: Player) { observations.unobserve(player) }
    }
    // end snippet

    @Test("Article on migrating, from NSKeyValueObservation")
    func fromTokens() {
        let (player, view) = (Player(), PlayerView())
        // snippet: migrated-tokens-use
        view.show(player)
        print(view.text)  // prints track 1
        player.track = 2
        player.play()
        print(view.text)  // prints playing 2
        view.hide(player)
        player.track = 3  // no call
        // end snippet
        #expect(view.text == "playing 2")
    }
}
