import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// README's recipes, compiled and run.
@Suite struct ReadmeRecipeTests {
    final class Song: KeyValueObject {
        @Observed var title = "Aria"
        @Observed var rating = 1
    }

    final class Player: KeyValueObject {
        @Observed var song: Song?
    }

    final class Download: Sendable {
        let progress = ObservedValue(0)
    }

    final class Playlist: KeyValueObject {
        private var file = ["title": "Untitled"]

        var title: String {
            get {
                access(\.title)
                return file["title"] ?? ""
            }
            set { withChange(of: \.title) { file["title"] = newValue } }
        }

        var label: String { "<\(title)>" }
    }

    final class Radio: KeyValueObject {
        @Observed var playlist = Playlist()
    }

    final class Listener {}

    @MainActor final class View {
        let log: EventLog<String>
        lazy var observations = ObservationController(observer: self)
        var width = 0 { didSet { log.append("width \(width)") } }

        init(_ log: EventLog<String>) { self.log = log }

        func say(_ text: String) { log.append(text) }
        func reload() { log.append("reload") }
    }

    @Test("README, recipes: the value before a change and the value after it")
    @MainActor func theOldAndTheNewValue() throws {
        let log = EventLog<String>()
        let view = View(log)
        let (song, observations) = (Song(), view.observations)
        // snippet: recipe-change
        observations.onChange(of: song, \.rating) { view, old, new in
            view.say("\(old) stars, now \(new)")
        }
        // end snippet
        song.rating = 5
        try log.expect(["1 stars, now 5"])
        withExtendedLifetime(view) {}
    }

    @Test("README, recipes: a change on any thread is delivered on the main actor")
    @MainActor func deliveryOnTheMainActor() async throws {
        let log = EventLog<String>()
        let view = View(log)
        let (download, observations) = (Download(), view.observations)
        // snippet: recipe-isolation
        observations.observe(download.progress, \.value) { view, progress in
            view.width = progress
        }
        Task.detached { download.progress.update { $0 += 50 } }
        // end snippet
        while view.width != 50 { await Task.yield() }
        try log.expect(["width 0", "width 50"])
        withExtendedLifetime(view) {}
    }

    @Test("README, recipes: a key path through an optional, and a removal")
    @MainActor func aKeyPathThroughAnOptional() throws {
        let log = EventLog<String>()
        let view = View(log)
        let (player, observations) = (Player(), view.observations)
        observations.observe(player, \.song?.title) { view, title in
            view.say(title ?? "silence")
        }
        player.song = Song()  // the view says "Aria"
        observations.unobserve(player)  // or let the view's end do it
        player.song = nil
        try log.expect(["silence", "Aria"])
        withExtendedLifetime(view) {}
    }

    @Test("README, recipes: a manual notification reaches the key, computed properties and longer key paths, and nothing is warned of")
    func manualNotification() async {
        await #expect(processExitsWith: .success) {
            let (log, warnings) = (EventLog<String>(), EventLog<String>())
            ObservationDiagnostics.warningHandler = { warnings.append($0.message) }
            let (radio, listener) = (Radio(), Listener())
            let observations = ObservationController(observer: listener)
            observations.observe(radio.playlist, \.title) { _, title in log.append(title) }
            observations.observe(radio.playlist, \.label) { _, label in log.append(label) }
            observations.observe(radio, \.playlist.title) { _, title in log.append("radio \(title)") }
            observations.observe(radio, \.playlist.label.count) { _, count in log.append("\(count)") }
            try log.expect(["Untitled", "<Untitled>", "radio Untitled", "10"])
            radio.playlist.title = "Suites"
            #expect(log.events.sorted() == ["8", "<Suites>", "Suites", "radio Suites"])
            try warnings.expect([])
            withExtendedLifetime(listener) {}
        }
    }

    @Test("README, recipes: messages with a name")
    @MainActor func messages() throws {
        let log = EventLog<String>()
        let view = View(log)
        let (center, observations) = (MessageCenter(), view.observations)
        observations.observe(center, for: .libraryDidChange) { view, message in
            view.reload()
        }
        center.post(.libraryDidChange)
        try log.expect(["reload"])
        withExtendedLifetime(view) {}
    }
}

extension MessageName {
    fileprivate static let libraryDidChange: MessageName = "libraryDidChange"
}
