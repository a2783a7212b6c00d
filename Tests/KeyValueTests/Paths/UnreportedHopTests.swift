import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// The warning about a manual notification that an observed key path may not notice, because no getter reports the property of that name.
@Suite struct UnreportedHopTests {
    final class Album: KeyValueObject {
        @Observed var name = "1"
        var title = "1"
        var subtitle = "1"
        private var text = "1"
        var label: String {
            get {
                access(\.label)
                return text
            }
            set { withChange(of: \.label) { text = newValue } }
        }
    }

    final class Player: KeyValueObject {
        @Observed var observed = Album()
        var album = Album()
        var line = "1"
        var note = "1"
        private var hidden = Album()
        var manual: Album {
            get {
                access(\.manual)
                return hidden
            }
            set { withChange(of: \.manual) { hidden = newValue } }
        }
    }

    final class Observer {}

    let player = Player()
    let observer = Observer()
    let observations: ObservationController<Observer>

    init() {
        Warnings.listen()
        observations = ObservationController(observer: observer)
    }

    private func watch<Object: KeyValueObservable, Value>(_ object: Object, _ keyPath: KeyPath<Object, Value>, line: UInt = #line) {
        observations.observe(object, keyPath, options: .new, line: line) { _, _, _ in }
    }

    /// Returns the warnings about the lines that say that a key path may not notice a change.
    private func reports(_ lines: ClosedRange<UInt>) -> [String] { Warnings.messages(lines).filter { $0.contains("may not notice") } }

    // MARK: Reported

    @Test("Rule 14: an announced plain leaf behind an observed hop is reported once, with the names")
    func aPlainLeafBehindAnObservedHop() throws {
        let start: UInt = #line
        watch(player, \.observed.title)
        for title in ["2", "3"] { player.observed.withChange(of: \.title) { player.observed.title = title } }
        let messages = reports(start...#line)
        #expect(messages.count == 1)
        let message = try #require(messages.first)
        #expect(message.contains("Album.title"))
        #expect(message.contains("`Player."))
        #expect(message.contains("access(_:)") && message.contains("@Observed"))
    }

    @Test("Rule 14: an announced plain hop is reported once, with the names")
    func aPlainHop() throws {
        let start: UInt = #line
        watch(player, \.album.name)
        for _ in 0..<2 { player.withChange(of: \.album) { player.album = Album() } }
        let messages = reports(start...#line)
        #expect(messages.count == 1)
        let message = try #require(messages.first)
        #expect(message.contains("Player.album"))
    }

    @Test("Rule 14: an announced plain property of the root is reported once to a longer path, with the names")
    func aPlainPropertyOfTheRoot() throws {
        let start: UInt = #line
        watch(player, \.line.count)
        for line in ["2", "3"] { player.withChange(of: \.line) { player.line = line } }
        let messages = reports(start...#line)
        #expect(messages.count == 1)
        let message = try #require(messages.first)
        #expect(message.contains("Player.line"))
    }

    // MARK: Not reported

    @Test("Rule 14: a key that its getter reports with access(_:) is not reported")
    func aKeyThatItsGetterReports() {
        let start: UInt = #line
        watch(player, \.observed.label)
        watch(player, \.manual.name)
        watch(player, \.manual.label.count)
        player.observed.label = "2"
        player.manual = Album()
        player.manual.label = "2"
        #expect(reports(start...#line) == [])
    }

    @Test("Rule 14: another key of the same type is not reported, also if its name ends or begins with the name")
    func anotherKeyOfTheSameType() {
        let start: UInt = #line
        watch(player, \.observed.subtitle)
        watch(player, \.line.count)
        player.observed.withChange(of: \.title) { player.observed.title = "2" }
        player.withChange(of: \.note) { player.note = "2" }
        #expect(reports(start...#line) == [])
    }

    @Test("Rule 14: a key that is observed directly is not reported")
    func aKeyThatIsObservedDirectly() {
        let start: UInt = #line
        watch(player.observed, \.title)
        watch(player, \.album)
        watch(player, \.line)
        player.observed.withChange(of: \.title) { player.observed.title = "2" }
        player.withChange(of: \.album) { player.album = Album() }
        player.withChange(of: \.line) { player.line = "2" }
        #expect(reports(start...#line) == [])
    }
}
