import SafeKVO
import TestSupport
import Testing

/// Texts name an observed key for people.
@Suite struct KeyNameTests {
    final class Artist: KeyValueObject {
        @Observed var name = "Bach"
    }
    final class Song: KeyValueObject {
        @Observed var title = "Aria"
        @Observed var artist: Artist? = Artist()
        var silent: Int { 3 }
        @Observed var parts = ["Aria"]
        let label = Artist()
        var loud: String { title.uppercased() }
        var line: String { "\(title) by \(artist?.name ?? "nobody"), \(title)" }
        var everything: String { "\(line) \(parts) \(label.name)" }
        subscript(_ number: Int) -> String { title + "\(number)" }
    }
    final class Player: KeyValueObject {
        @Observed var current = Song()
        @Observed var next: Song? = Song()
        let fixed = Song()
        var now: Song { current }
        var soon: Song? { next }
    }
    final class Box<Item: AnyObject>: KeyValueObject {
        @Observed var item: Item
        init(_ item: Item) { self.item = item }
    }
    final class Panel {}

    let song = Song()
    let player = Player()
    let panel = Panel()
    let observations: ObservationController<Panel>

    init() {
        Warnings.listen()
        observations = ObservationController(observer: panel)
    }

    /// Observes a key path, and returns its name in a snapshot.
    private func name<Object: KeyValueObservable, Value>(_ object: Object, _ keyPath: KeyPath<Object, Value>) -> String {
        observations.unobserveAll()
        observations.observe(object, keyPath) { _, _ in }
        return observations.observations.map(\.name).joined()
    }

    @Test("A key path through observed properties has their names")
    func chains() {
        #expect(name(song, \.title) == "title")
        #expect(name(player, \.current.title) == "current.title")
        #expect(name(player, \.current.artist) == "current.artist")
        #expect(name(player, \.next!.title) == "next!.title")
        #expect(name(Box(Box(song)), \.item.item.title) == "item.item.title")
        #expect("\(observations)".contains(" Box<Box<Song>>.item.item.title,"), "\(observations)")
        #expect(name(song, \.self) == "self")
    }

    @Test("A component without a name is described by what it reads")
    func reads() {
        #expect(name(song, \.loud) == "<reads title>")
        #expect(name(song, \.line) == "<reads title and artist and name>")
        #expect(name(song, \.everything) == "<computed (String)>")
        #expect(name(song, \.[3]) == "<reads title>")
        #expect(name(song, \.label.name) == "label.<reads name>")
        #expect(name(player, \.fixed.title) == "fixed.<reads title>")
    }

    @Test("A key path is not named after what a computed component reads")
    func computedComponents() {
        #expect(name(player, \.now.title) == "<reads current>.<reads title>")
        #expect(name(player, \.current.loud) == "<reads current>.<reads title>")
        #expect(name(player, \.current.line) == "<computed (Song)>.<computed (String)>")
        #expect(name(player, \.current.parts.count) == "<computed (Song)>.<computed (Array<String>)>.<computed (Int)>")
    }

    @Test("Swift cannot say whether a key path with `?` consists of what it reads")
    func optionalHops() {
        #expect(name(player, \.next?.title) == "<reads next>?.<reads title>")
        #expect(name(player, \.soon?.title) == "<reads next>?.<reads title>")
        #expect(name(player, \.next?.artist?.name) == "<reads next>?.<reads artist>?.<reads name>")
        #expect(name(player, \.next?.label.name) == "<reads next>?.label.<reads name>")
        player.next = nil
        #expect(name(player, \.next?.artist?.name) == "<reads next>?.<computed (Optional<Artist>)>?.<computed (String)>")
    }

    @Test("The name follows what is read, and each text has it, but those of changes, which need nothing of the observation")
    func everyText() {
        let line: UInt = #line + 1
        for tag in ["a", "a"] as [ObservationTag] { observations.observe(player, \.current.title, tag: tag) { _, _ in } }
        observations.observe(player, \.current.title, tag: "a") { _, _ in }
        #expect(Warnings.messages(line...line + 1).map { $0.contains("`observe(_:\\.current.title)`") } == [true])
        var texts: [String] = []
        observations.observe(player, \.current.title, options: .new, tag: "b") { _, _, change in texts += ["\(change)"] }
        observations.observeEach(player, [\.current.loud], options: .new) { _, _, change in texts += ["\(change)"] }
        player.current.title = "Gigue"
        #expect(
            texts == [
                "KeyValueChange(setting, new Gigue)",
                "AnyKeyValueChange(<computed (Song)>.<computed (String)>, setting, new GIGUE)",
            ])
        #expect("\(observations)".contains("Panel observes Player.current.title, "))
        #expect(ObservationDiagnostics.observations(of: player).first?.description.contains("Player.current.title, ") ?? false)
    }

    @Test("No text has the address of a getter")
    func warningsHaveNoAddress() {
        let start: UInt = #line
        observations.observe(song, \.silent) { _, _ in }
        #expect(Warnings.messages(start...#line).count == 1)
        #expect(Warnings.messages(start...#line).allSatisfy { !$0.contains("0x") && $0.contains("`Song.<computed (Int)>`") })
    }
}
