import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Key paths through hops whose accessors report what is read, and through constants, which need no report.
///
/// The accessors are those of `@Observed` and `@AtomicObserved` properties, and getters that call `access(_:)` for a key that the class
/// announces manually.
@MainActor @Suite struct ReportedHopTests {
    final class Album: KeyValueObject {
        @Observed var name: String
        @AtomicObserved var plays = 0
        private var file: [String: String]
        var title: String {
            get {
                access(\.title)
                return file["title"] ?? ""
            }
            set { withChange(of: \.title) { file["title"] = newValue } }
        }
        init(_ name: String) {
            self.name = name
            file = ["title": "title of " + name]
        }
    }

    final class Player: KeyValueObject {
        @Observed var observed = Album("1")
        @Observed var optional: Album?
        let constant = Album("1")
        private var hidden = Album("1")
        var manual: Album {
            get {
                access(\.manual)
                return hidden
            }
            set { withChange(of: \.manual) { hidden = newValue } }
        }
        var constantHeadline: String { "<\(constant.name)>" }
    }

    final class Observer: Sendable {}

    let player = Player()
    let observer = Observer()
    let log = EventLog<String>()
    let observations: ObservationController<Observer>

    init() {
        observations = ObservationController(observer: observer)
    }

    func watch<Value>(_ keyPath: KeyPath<Player, Value>, _ options: KeyValueObservingOptions = [.prior, .old, .new]) {
        observations.observe(player, keyPath, options: options) { log.append($2.told) }
    }

    /// Expects that changes of a former object notify nobody, and that the object has no record of observers.
    func expectSilence(_ former: Album) throws {
        former.name = "stale"
        former.plays += 1
        former.title = "stale"
        try log.expect([])
        #expect(former.observationRecords == (0, 0))
    }

    // MARK: The hop

    @Test("Rule 14: replacing an object behind a manually announced hop is one change, and the former object is silent")
    func aManualHopIsFollowed() throws {
        watch(\.manual.name)
        let former = player.manual
        player.manual = Album("2")
        try log.expect(["prior old 1", "after old 1 new 2"])
        try expectSilence(former)
        player.manual.name = "3"
        try log.expect(["prior old 2", "after old 2 new 3"])
    }

    @Test("Rule 14: a constant hop leads to what is observed or announced manually")
    func aConstantHopIsFollowed() throws {
        watch(\.constant.name)
        player.constant.name = "2"
        try log.expect(["prior old 1", "after old 1 new 2"])
        observations.unobserveAll()
        watch(\.constant.title)
        player.constant.title = "3"
        try log.expect(["prior old title of 1", "after old title of 1 new 3"])
    }

    @Test("Rule 14: a replaced object is not kept alive, however its hop announces changes")
    func replacedObjectsAreReleased() throws {
        let tracker = LifetimeTracker()
        player.manual = tracker.track(Album("1"))
        player.optional = tracker.track(Album("1"))
        watch(\.manual.name, .new)
        watch(\.manual.title, [.old, .new])
        watch(\.optional?.title, .new)
        player.manual = Album("2")
        player.optional = Album("2")
        try tracker.expectAllGone()
        #expect(log.events.count == 3)
    }

    @Test("Rule 14: an object that appears where nil was is followed")
    func anObjectThatAppearsIsFollowed() throws {
        watch(\.optional?.title)
        player.optional = Album("2")
        try log.expect(["prior old nil", "after old nil new Optional(\"title of 2\")"])
        player.optional?.title = "3"
        try log.expect(["prior old Optional(\"title of 2\")", "after old Optional(\"title of 2\") new Optional(\"3\")"])
        player.optional = nil
        try log.expect(["prior old Optional(\"3\")", "after old Optional(\"3\") new nil"])
    }

    @Test("Rule 14: an object that takes the place of another one at its address is followed")
    func anObjectAtTheAddressOfAnother() throws {
        for _ in 0..<20 {
            player.optional = Album("1")
            observations.observe(player, \.optional?.title, options: .new) { log.append($2.told) }
            withBatchedChanges {
                player.optional = nil
                player.optional = Album("2")
            }
            player.optional?.title = "3"
            try log.expect(["after new Optional(\"title of 2\")", "after new Optional(\"3\")"])
            observations.unobserve(player, \.optional?.title)
        }
    }

    @Test("Rule 14: a constant is that of the class that the key path names, also if a subclass is another")
    func constantsOfSubclasses() throws {
        final class Holder { let album = Album("1") }
        class Shelf: KeyValueObject {
            let inner: Holder
            init(_ inner: Holder) { self.inner = inner }
        }
        final class Big: Shelf { private let other = Holder() }
        final class Small: Shelf {
            let number = 0x4141_4141_4140
            init() { super.init(Holder()) }
        }
        final class Cellar: KeyValueObject { @Observed var shelf: Shelf = Big(Holder()) }
        let cellar = Cellar()
        observations.observe(cellar, \.shelf.inner.album.name, options: .new) { log.append($2.told) }
        cellar.shelf = Small()
        cellar.shelf.inner.album.name = "2"
        try log.expect(["after new 1", "after new 2"])
    }

    // MARK: The leaf

    @Test("Rule 14: a manually announced leaf behind an observed hop is heard if its getter reports it")
    func aManualLeafIsHeard() throws {
        watch(\.observed.title)
        let former = player.observed
        former.title = "2"
        try log.expect(["prior old title of 1", "after old title of 1 new 2"])
        player.observed = Album("3")
        try log.expect(["prior old 2", "after old 2 new title of 3"])
        try expectSilence(former)
        player.observed.title = "4"
        try log.expect(["prior old title of 3", "after old title of 3 new 4"])
    }

    @Test("Rule 14: so is one behind a manually announced hop")
    func aManualLeafBehindAManualHopIsHeard() throws {
        watch(\.manual.title)
        let former = player.manual
        player.manual.title = "2"
        try log.expect(["prior old title of 1", "after old title of 1 new 2"])
        player.manual = Album("3")
        try log.expect(["prior old 2", "after old 2 new title of 3"])
        try expectSilence(former)
    }

    @Test("Rule 14: an atomic leaf behind a manually announced hop is heard")
    func anAtomicLeafIsHeard() throws {
        watch(\.manual.plays)
        player.manual.plays = 1
        try log.expect(["prior old 0", "after old 0 new 1"])
        player.manual = Album("2")
        try log.expect(["prior old 1", "after old 1 new 0"])
    }

    @Test("Rule 6: an announcement of a hop or of a leaf is a change also if the value is equal")
    func equalValuesAreTold() throws {
        watch(\.manual.name, .new)
        watch(\.observed.title, .new)
        player.manual = Album("1")
        player.observed.title = player.observed.title
        try log.expect(["after new 1", "after new title of 1"])
    }

    @Test("Rule 19: nothing is reported of constants, nor of getters that say what they read")
    func whatIsNotReported() {
        Warnings.listen()
        let line: UInt = #line
        observations.observe(player, \.constant.name, options: .new) { _, _, _ in }
        observations.observe(player, \.constantHeadline, options: .new) { _, _, _ in }
        observations.observe(player, \.manual.name, options: .new) { _, _, _ in }
        observations.observe(player, \.manual, options: .new) { _, _, _ in }
        observations.observe(player, \.observed.title, options: .new) { _, _, _ in }
        observations.observe(player.observed, \.title, options: .new) { _, _, _ in }
        player.manual = Album("2")
        player.observed.title = "2"
        #expect(Warnings.about(line...#line) == [])
    }
}
