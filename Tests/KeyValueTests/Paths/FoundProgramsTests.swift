import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Programs that once behaved differently in debug and release builds, or called observers of a key that did not change.
@Suite struct FoundProgramsTests {
    typealias Report = FoundPrograms.Report
    typealias Player = FoundPrograms.Player

    final class Observer {}

    let observer = Observer()
    let log = EventLog<String>()
    let observations: ObservationController<Observer>

    init() {
        Warnings.listen()
        observations = ObservationController(observer: observer)
    }

    private func watch<Object: KeyValueObservable, Value>(_ object: Object, _ keyPath: KeyPath<Object, Value>, _ name: String) {
        observations.observe(object, keyPath, options: .new) { [log] _, _, change in log.append("\(name) \(change.told)") }
    }

    /// Expects events in any order, because nothing is promised about the order of different keys.
    private func expectEvents(_ expected: [String], _ position: SourceLocation = #_sourceLocation) {
        let events = log.removeAll().sorted()
        #expect(events == expected.sorted(), sourceLocation: position)
    }

    // MARK: A computed property that is announced manually and reads an observed one

    @Test("Rules 14, 17: a manually announced computed property without access(_:) is heard by its own key, and not by longer paths")
    func aComputedPropertyWithoutAccess() {
        let shelf = FoundPrograms.Shelf()
        watch(shelf.report, \.summary, "summary")
        watch(shelf.report, \.summary.count, "count")
        watch(shelf, \.report.summary, "report.summary")
        watch(shelf, \.report.summary.count, "report.count")
        shelf.report.write("!")
        expectEvents(["summary after new Report!"])
        shelf.report.rename("R")
        expectEvents(["summary after new R!", "count after new 2", "report.summary after new R!", "report.count after new 2"])
    }

    @Test("Rules 14, 17: with access(_:) all paths hear it")
    func aComputedPropertyWithAccess() {
        let shelf = FoundPrograms.Shelf()
        watch(shelf.report, \.reportedSummary, "summary")
        watch(shelf.report, \.reportedSummary.count, "count")
        watch(shelf, \.report.reportedSummary, "report.summary")
        watch(shelf, \.report.reportedSummary.count, "report.count")
        shelf.report.write("!")
        expectEvents(["summary after new Report!", "count after new 7", "report.summary after new Report!", "report.count after new 7"])
        shelf.report.rename("R")
        expectEvents(["summary after new R!", "count after new 2", "report.summary after new R!", "report.count after new 2"])
    }

    // MARK: A hop that is announced manually and reads an observed property of its own type

    @Test("Rule 14: a manually announced hop without access(_:) is followed only through the observed properties that it has read")
    func aHopWithoutAccess() throws {
        let (player, track) = (Player(), FoundPrograms.Track("forced"))
        watch(player, \.current?.name, "name")
        player.force(track)
        track.name = "forced 2"
        try log.expect([])
        // The path still follows this track. The evaluation then finds the forced one.
        player.selected?.name = "selected 2"
        try log.expect(["name after new Optional(\"forced 2\")"])
        track.name = "forced 3"
        try log.expect(["name after new Optional(\"forced 3\")"])
        player.selected?.name = "selected 3"
        player.force(nil)
        try log.expect([])
    }

    @Test(
        "Rule 14: a hop over an unobserved reference is followed if its getter reports it, and so is one over `@WeakObserved`",
        arguments: [false, true])
    func aHopThatReports(isWeakObserved: Bool) throws {
        let (player, track) = (Player(), FoundPrograms.Track("forced"))
        let keyPath = isWeakObserved ? \Player.preferredCurrent?.name : \.reportedCurrent?.name
        observations.observe(player, keyPath, options: [.old, .new]) { [log] _, _, change in log.append(change.told) }
        player.force(track)
        try log.expect(["after old Optional(\"selected\") new Optional(\"forced\")"])
        track.name = "forced 2"
        try log.expect(["after old Optional(\"forced\") new Optional(\"forced 2\")"])
        player.selected?.name = "selected 2"
        try log.expect([])
        player.force(nil)
        try log.expect(["after old Optional(\"forced 2\") new Optional(\"selected 2\")"])
        track.name = "former"
        try log.expect([])
    }

    // MARK: Two properties of one type

    @Test("Rules 13, 14: an announcement of one key calls no observer of another key of the same type")
    func anotherKeyOfTheSameType() throws {
        let radio = FoundPrograms.Radio()
        watch(radio, \.song.note, "song.note")
        watch(radio.song, \.note.count, "note.count")
        watch(radio, \.song.note.count, "song.note.count")
        watch(radio.song, \.note, "note")
        watch(radio.song, \.title, "title")
        radio.song.setTitle("b")
        try log.expect(["title after new b"])
    }
}
