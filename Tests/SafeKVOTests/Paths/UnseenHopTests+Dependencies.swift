import SafeKVO
import SafeKVOTesting
import Testing

/// Such key paths with collections, declared dependencies and registrations during a change, and what is missed.
extension UnseenHopTests {
    // MARK: Collections

    @Test("Rule 18: kinds and indexes survive a constant hop")
    func kindsSurviveAConstantHop() throws {
        watch(\.constant.tracks)
        player.constant.mutableArrayValue(for: \.tracks).append("2")
        try log.expect(["prior insertion at 1..<2", "after insertion new [\"2\"] at 1..<2"])
    }

    @Test("Rule 18: kinds and indexes survive constants between observed hops, whatever takes a hop's place")
    func kindsSurviveConstantsInBetween() throws {
        let room = Room()
        observations.observe(room, \.shelf.box.album.tracks, options: [.old, .new]) { log.append($2.told) }
        room.shelf.box.album.mutableArrayValue(for: \.tracks).append("2")
        try log.expect(["after insertion new [\"2\"] at 1..<2"])
        let former = room.shelf
        room.shelf = Room.Shelf()
        try log.expect(["after old [\"1\", \"2\"] new [\"1\"]"])
        former.box.album.mutableArrayValue(for: \.tracks).append("3")
        room.shelf.box.album.mutableArrayValue(for: \.tracks).remove(at: 0)
        try log.expect(["after removal old [\"1\"] at 0..<1"])
    }

    final class Room: KeyValueObject {
        final class Box { let album = Album("1") }
        final class Shelf: KeyValueObject { let box = Box() }
        @Observed var shelf = Shelf()
    }

    // MARK: Declared dependencies

    @Test("Rule 17: what is declared for a stored property counts")
    func declaredForAStoredProperty() throws {
        let settable = Settable()
        observations.observe(settable, \.own, options: [.prior, .old, .new]) { log.append($2.told) }
        settable.first = 1
        try log.expect(["prior old 0", "after old 0 new 0"])
        settable.own = 2
        try log.expect(["prior old 0", "after old 0 new 2"])
    }

    final class Settable: KeyValueObject {
        @Observed var own = 0
        @Observed var first = 0
        override static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            key == \Settable.own ? [\Settable.first] : super.keyPathsForValuesAffectingValue(for: key)
        }
    }

    @Test("Rule 17: a declared path may go through what is announced by hand")
    func declaredThroughAManualHop() throws {
        let host = Host()
        observations.observe(host, \.line, options: [.old, .new]) { log.append($2.told) }
        host.album.title = "2"
        try log.expect(["after old <title of 1> new <2>"])
    }

    final class Host: KeyValueObject {
        @Observed var album = Album("1")
        var line: String { "<" + album.title + ">" }
        override static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            key == \Host.line ? [\Host.album.title] : super.keyPathsForValuesAffectingValue(for: key)
        }
    }

    // MARK: Registering before the change, across objects

    @Test("Rule 9: an observer that is added in a call before a change does not hear it, through a path of another object either")
    func addedBeforeAChangeElsewhere() throws {
        let late = EventLog<String>()
        watch(\.observed.name, .new)
        var isAdded = false
        observations.observe(player.observed, \.name, options: .prior) { [player, observations] _, _, change in
            guard change.isPrior, !isAdded else { return }
            isAdded = true
            observations.observe(player, \.observed.name, options: .new, tag: "late") { late.append($2.told) }
        }
        player.observed.name = "2"
        try log.expect(["after new 2"])
        try late.expect([])
        player.observed.name = "3"
        try late.expect(["after new 3"])
    }

    @Test(
        "Rule 9: an observer that one path's call before a change adds to a path of another object does not hear the change",
        arguments: [false, true])
    func addedBeforeAChangeByAnotherPath(isFirst: Bool) throws {
        let (other, late) = (Player(), EventLog<String>())
        other.observed = player.observed
        if isFirst { observations.observe(other, \.observed.name, options: .new) { log.append($2.told) } }
        var isAdded = false
        observations.observe(player, \.observed.name, options: .prior) { [observations] _, _, change in
            guard change.isPrior, !isAdded else { return }
            isAdded = true
            observations.observe(other, \.observed.name, options: .new, tag: "late") { late.append($2.told) }
        }
        if !isFirst { observations.observe(other, \.observed.name, options: .new) { log.append($2.told) } }
        player.observed.name = "2"
        try log.expect(["after new 2"])
        try late.expect([])
        player.observed.name = "3"
        try late.expect(["after new 3"])
    }

    // MARK: Gaps

    @Test("Rule 14: an object that no observed property returned is reported once, with the line and both cures")
    func aGapIsReported() throws {
        Warnings.listen()
        let line: UInt = #line + 2
        for _ in 0..<2 {
            observations.observe(player, \.manual.name, options: .new) { _, _, _ in }
            observations.unobserve(player, \.manual.name)
        }
        #expect(Warnings.about(line...line) == ["unseenHop 0"])
        let message = try #require(Warnings.messages(line...line).first)
        #expect(message.contains("@Observed") && message.contains("access(_:)"))
    }

    @Test("Rule 14: constants, and getters that say what they read, are no gap")
    func whatIsNoGap() {
        Warnings.listen()
        let line: UInt = #line
        observations.observe(player, \.constant.name, options: .new) { _, _, _ in }
        observations.observe(player, \.constantHeadline, options: .new) { _, _, _ in }
        observations.observe(player, \.accessed.name, options: .new) { _, _, _ in }
        observations.observe(player, \.observed.title, options: .new) { _, _, _ in }
        observations.observe(player, \.observed.name, options: .new) { _, _, _ in }
        observations.observe(player.observed, \.label, options: .new) { _, _, _ in }
        #expect(Warnings.about(line...line + 6) == [])
    }
}
