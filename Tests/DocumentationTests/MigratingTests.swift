import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// The examples of the article on migrating.
@Suite struct MigratingTests {
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

    // snippet: from-combine
    final class SearchModel: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var query = ""
        @Observed var isOnline = true
        var canSearch: Bool { isOnline && query.count > 2 }  // was CombineLatest
        let didSubmit = Signal<String>()  // was a PassthroughSubject
    }

    @MainActor final class SearchView {
        // It was a Set<AnyCancellable>:
        private lazy var observations = ObservationController(observer: self)
        private(set) var lines: [String] = []

        func show(_ model: SearchModel) {
            observations.observe(model, \.query, removing: .duplicates) {
                view, query in view.lines.append(query)
            }
            observations.observe(model, \.canSearch, initial: false) { view, can in
                view.lines.append("search: \(can)")
            }
            observations.observe(model.didSubmit) { view, query in
                view.lines.append("submitted \(query)")
            }
        }
    }
    // end snippet

    @Test("Article on migrating, from Combine: a property, a combination and a subject")
    @MainActor func fromCombine() throws {
        let tracker = LifetimeTracker()
        do {
            let (model, view) = (tracker.track(SearchModel()), tracker.track(SearchView()))
            view.show(model)
            // snippet: from-combine-use
            model.query = "kvo"
            model.didSubmit.send(model.query)
            model.isOnline = false
            print(view.lines)
            // prints ["", "kvo", "search: true", "submitted kvo", "search: false"]
            // end snippet
            #expect(view.lines == ["", "kvo", "search: true", "submitted kvo", "search: false"])
        }
        try tracker.expectAllGone()
    }

    // snippet: from-notifications
    struct DocumentSaved: Message {
        let title: String
        let bytes: Int
    }

    @MainActor final class SaveLog {
        private lazy var observations = ObservationController(observer: self)
        private(set) var lines: [String] = []

        func follow(_ center: MessageCenter) {
            observations.observe(center, for: DocumentSaved.self) { log, message in
                log.lines.append("\(message.title): \(message.bytes) bytes")
            }
        }
    }
    // end snippet

    @Test("Article on migrating, from NotificationCenter: a typed message, and nothing to remove")
    @MainActor func fromNotificationCenter() throws {
        let tracker = LifetimeTracker()
        do {
            let (center, log) = (tracker.track(MessageCenter()), tracker.track(SaveLog()))
            log.follow(center)
            // snippet: from-notifications-use
            center.post(DocumentSaved(title: "Letter", bytes: 1200))
            print(log.lines)  // prints ["Letter: 1200 bytes"]
            // end snippet
            #expect(log.lines == ["Letter: 1200 bytes"])
        }
        try tracker.expectAllGone()
    }
}
