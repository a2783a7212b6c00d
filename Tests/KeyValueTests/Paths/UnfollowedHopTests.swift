import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// The boundary of rule 14: a hop or a leaf that reports nothing is not followed, although its change is announced manually.
@Suite struct UnfollowedHopTests {
    final class Album: KeyValueObject {
        @Observed var name: String
        var title: String
        init(_ name: String) {
            self.name = name
            title = "title of " + name
        }
        func rename(_ title: String) { withChange(of: \.title) { self.title = title } }
    }

    final class Player: KeyValueObject {
        @Observed var observed = Album("1")
        var album = Album("1")
        weak var reference: Album?
        var line = "1"
        func play(_ album: Album) { withChange(of: \.album) { self.album = album } }
        func refer(to album: Album?) { withChange(of: \.reference) { reference = album } }
        func write(_ line: String) { withChange(of: \.line) { self.line = line } }
    }

    final class Observer {}

    let player = Player()
    let observer = Observer()
    let log = EventLog<String>()
    let observations: ObservationController<Observer>

    init() {
        Warnings.listen()
        observations = ObservationController(observer: observer)
    }

    func watch<Object: KeyValueObservable, Value>(_ object: Object, _ keyPath: KeyPath<Object, Value>, as name: String) {
        observations.observe(object, keyPath, options: [.prior, .new]) { log.append("\(name) \($2.told)") }
    }

    @Test("Rule 14: a plain stored hop is not followed when it is replaced inside an announcement, whose own key hears it")
    func aPlainHop() throws {
        let former = player.album
        watch(player, \.album.name, as: "name")
        watch(player, \.album, as: "album")
        player.play(Album("2"))
        let heard = log.removeAll()
        #expect(heard.count == 2)
        #expect(heard.allSatisfy { $0.hasPrefix("album ") })
        // The path has not noticed the exchange, so it follows the former object until one of that object's changes lets it look again.
        player.album.name = "3"
        try log.expect([])
        former.name = "former"
        try log.expect(["name prior", "name after new 3"])
        former.name = "stale"
        try log.expect([])
        player.album.name = "4"
        try log.expect(["name prior", "name after new 4"])
        observations.unobserveAll()
        #expect(former.observationRecords == (0, 0))
    }

    @Test("Rule 14: nor is a plain weak hop")
    func aPlainWeakHop() throws {
        let (first, second) = (Album("1"), Album("2"))
        player.reference = first
        watch(player, \.reference?.name, as: "name")
        player.refer(to: second)
        second.name = "3"
        try log.expect([])
        first.name = "former"
        try log.expect(["name prior", "name after new Optional(\"3\")"])
    }

    @Test("Rule 14: a plain leaf that is announced behind an observed hop is not heard by the path, but by its own key")
    func aPlainLeaf() throws {
        watch(player, \.observed.title, as: "path")
        watch(player.observed, \.title, as: "key")
        player.observed.rename("2")
        try log.expect(["key prior", "key after new 2"])
        player.observed = Album("3")
        try log.expect(["path prior", "path after new title of 3"])
        player.observed.rename("4")
        try log.expect([])
    }

    @Test("Rule 14: a plain property of the root is heard by its own key, and not by a longer path, which may be announced itself")
    func aPlainPropertyOfTheRoot() throws {
        watch(player, \.line.count, as: "count")
        watch(player, \.line, as: "line")
        player.write("22")
        try log.expect(["line prior", "line after new 22"])
        player.withChange(of: \.line.count) { player.line = "333" }
        try log.expect(["count prior", "count after new 3"])
    }

    @Test("Rules 14, 47: the same holds in a batch")
    func inABatch() throws {
        watch(player, \.album.name, as: "name")
        watch(player, \.observed.title, as: "title")
        watch(player, \.album, as: "album")
        withBatchedChanges {
            player.play(Album("2"))
            player.observed.rename("2")
        }
        let heard = log.removeAll()
        #expect(heard.allSatisfy { $0.hasPrefix("album ") })
        #expect(heard.count == 2)
    }
}
