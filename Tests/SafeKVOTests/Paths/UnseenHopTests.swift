import SafeKVO
import SafeKVOTesting
import Synchronization
import Testing

/// Key paths that lead through what nobody can see being read: what is announced by hand, constants, weak references.
@Suite struct UnseenHopTests {
    final class Album: KeyValueObject {
        @Observed var name: String
        @AtomicObserved var plays = 0
        @Observed var tracks = ["1"]
        private var file: [String: String]
        var title: String {
            get { file["title"] ?? "" }
            set { withChange(of: \.title) { file["title"] = newValue } }
        }
        var label: String {
            get {
                access(\.label)
                return file["label"] ?? ""
            }
            set { withChange(of: \.label) { file["label"] = newValue } }
        }
        init(_ name: String) {
            self.name = name
            file = ["title": "title of " + name, "label": "label of " + name]
        }
    }

    final class Player: KeyValueObject {
        @Observed var observed = Album("1")
        @Observed var optional: Album?
        let constant = Album("1")
        private var hidden = Album("1")
        private weak var reference: Album?
        private var said = Album("1")
        var manual: Album {
            get { hidden }
            set { withChange(of: \.manual) { hidden = newValue } }
        }
        var referenced: Album? {
            get { reference }
            set { withChange(of: \.referenced) { reference = newValue } }
        }
        var accessed: Album {
            get {
                access(\.accessed)
                return said
            }
            set { withChange(of: \.accessed) { said = newValue } }
        }
        var constantHeadline: String { "<\(constant.name)>" }
    }

    final class Observer {}

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

    /// Tells that a former object is silent and has no record of its observers.
    func expectSilence(_ former: Album) throws {
        former.name = "stale"
        former.plays += 1
        former.title = "stale"
        former.label = "stale"
        try log.expect([])
        #expect(former.observationRecords == (0, 0))
    }

    // MARK: The hop

    @Test("Rule 14: a hop that is announced by hand is one, before and after; what it led to before is silent")
    func aManualHopIsHeard() throws {
        watch(\.manual.name)
        let former = player.manual
        player.manual = Album("2")
        try log.expect(["prior old 1", "after old 1 new 2"])
        try expectSilence(former)
        player.manual.name = "3"
        try log.expect(["prior old 2", "after old 2 new 3"])
    }

    @Test("Rule 14: a weak reference that is announced by hand is a hop")
    func aWeakHopIsHeard() throws {
        let (first, second) = (Album("1"), Album("2"))
        player.referenced = first
        observations.observe(player, \.referenced?.name, options: [.prior, .old, .new]) { log.append($2.told) }
        player.referenced = second
        try log.expect(["prior old Optional(\"1\")", "after old Optional(\"1\") new Optional(\"2\")"])
        try expectSilence(first)
        player.referenced = nil
        try log.expect(["prior old Optional(\"2\")", "after old Optional(\"2\") new nil"])
        try expectSilence(second)
        player.referenced = second
        try log.expect(["prior old nil", "after old nil new Optional(\"stale\")"])
        second.name = "again"
        try log.expect(["prior old Optional(\"stale\")", "after old Optional(\"stale\") new Optional(\"again\")"])
    }

    @Test("Rule 14: a hop whose getter says what it reads is heard like an observed one")
    func anAccessedHopIsHeard() throws {
        watch(\.accessed.label)
        let former = player.accessed
        player.accessed = Album("2")
        try log.expect(["prior old label of 1", "after old label of 1 new label of 2"])
        try expectSilence(former)
        player.accessed.label = "3"
        try log.expect(["prior old label of 2", "after old label of 2 new 3"])
    }

    @Test("Rule 14: a constant hop leads to what is observed or announced by hand")
    func aConstantHopIsFollowed() throws {
        watch(\.constant.name)
        player.constant.name = "2"
        try log.expect(["prior old 1", "after old 1 new 2"])
    }

    @Test("Rule 14: a replaced object is not kept alive, however its hop announces changes")
    func replacedObjectsAreReleased() throws {
        let tracker = LifetimeTracker()
        player.manual = tracker.track(Album("1"))
        player.optional = tracker.track(Album("1"))
        watch(\.manual.name, .new)
        watch(\.manual.title, .new)
        watch(\.optional?.title, .new)
        player.manual = Album("2")
        player.optional = Album("2")
        try tracker.expectAllGone()
    }

    @Test("Rule 14: what becomes a hop only after it was nil is followed")
    func aHopThatComesIsFollowed() throws {
        watch(\.optional?.title)
        player.optional = Album("2")
        try log.expect(["prior old nil", "after old nil new Optional(\"title of 2\")"])
        player.optional?.title = "3"
        try log.expect(["prior old Optional(\"title of 2\")", "after old Optional(\"title of 2\") new Optional(\"3\")"])
        player.optional = nil
        try log.expect(["prior old Optional(\"3\")", "after old Optional(\"3\") new nil"])
    }

    // MARK: The leaf

    @Test("Rule 14: a leaf that is announced by hand is heard, where an observed property returned its object")
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

    @Test("Rule 14: a leaf that is announced by hand behind such a hop is heard if its getter says that it is read")
    func aManualLeafBehindAManualHopIsHeard() throws {
        watch(\.manual.label)
        player.manual.label = "2"
        try log.expect(["prior old label of 1", "after old label of 1 new 2"])
        player.manual = Album("3")
        try log.expect(["prior old 2", "after old 2 new label of 3"])
    }

    @Test("Rule 14: an atomic leaf behind a hop that is announced by hand is heard")
    func anAtomicLeafIsHeard() throws {
        watch(\.manual.plays)
        player.manual.plays = 1
        try log.expect(["prior old 0", "after old 0 new 1"])
        player.manual = Album("2")
        try log.expect(["prior old 1", "after old 1 new 0"])
    }

    @Test("Rule 6: an announcement of a hop or a leaf is a change also if the value is equal")
    func equalValuesAreTold() throws {
        watch(\.manual.name, .new)
        watch(\.observed.title, .new)
        player.manual = Album("1")
        player.observed.title = player.observed.title
        try log.expect(["after new 1", "after new title of 1"])
    }

    // MARK: Getters

    @Test("Rule 14: an announcement evaluates no getter that it is not known to concern")
    func gettersAreLeftAlone() throws {
        // The getter would trap: the array is open.
        let list = List()
        observations.observe(list, \.total, options: .new) { log.append($2.told) }
        observations.observe(list, \.removedCount, options: .new) { log.append($2.told) }
        list.purge()
        try log.expect(["after new 1", "after new 2"])
    }

    final class List: KeyValueObject {
        private var items = [1, 2, 3]
        private var removed = 0
        var total: Int { items.reduce(0, +) }
        var removedCount: Int { removed }
        func purge() {
            items.removeAll { item in
                if item > 1 { withChange(of: \.removedCount) { removed += 1 } }
                return item > 1
            }
        }
    }

    @Test("Rule 16: an announcement around a change of what a declared dependent reads gives it one call")
    func oneCallForADeclaredDependent() throws {
        let card = Card()
        observations.observe(card, \.line, options: [.prior, .old, .new]) { log.append($2.told) }
        card.title = "b"
        try log.expect(["prior old a, a", "after old a, a new b, b"])
    }

    final class Card: KeyValueObject {
        @Observed private var stored = "a"
        private var file = "a"
        var title: String {
            get { file }
            set {
                withChange(of: \.title) {
                    stored = newValue
                    file = newValue
                }
            }
        }
        var line: String { "\(title), \(stored)" }
        override static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            key == \Card.line ? [\Card.title] : super.keyPathsForValuesAffectingValue(for: key)
        }
    }

    @Test("Rule 25: who registers while a hop is announced does not hear of it; who was there does")
    func registeringInsideAnAnnouncement() throws {
        watch(\.manual.name, .new)
        let late = EventLog<String>()
        player.withChange(of: \.manual) {
            observations.observe(player, \.manual.name, options: .new, tag: "late") { late.append($2.told) }
            player.manual = Album("2")
        }
        try log.expect(["after new 2"])
        try late.expect([])
        player.manual.name = "3"
        try late.expect(["after new 3"])
    }

    @Test("Rule 24: an announcement of a hop that is cancelled tells nothing, and the path follows what is there")
    func aCancelledHopIsFollowed() throws {
        watch(\.manual.name, .new)
        let album = Album("2")
        let change = player.willChange(\.manual)
        player.manual = album
        change.cancel()
        try log.expect([])
        album.name = "3"
        try log.expect(["after new 3"])
    }

    @Test("Rule 47: a batch gives one call for a path with a hop that is announced by hand")
    func batches() throws {
        watch(\.manual.name, [.old, .new])
        watch(\.observed.title, [.old, .new])
        withBatchedChanges {
            player.manual = Album("2")
            player.manual.name = "3"
            player.manual = Album("4")
            player.observed.title = "5"
            player.observed.title = "6"
        }
        try log.expect(["after old 1 new 4", "after old title of 1 new 6"])
    }

    @Test("Rule 25: who registers alone while the subject announces a hop follows what is there at the end")
    func registeringAloneInsideAnAnnouncement() throws {
        player.withChange(of: \.manual) {
            watch(\.manual.name, .new)
            player.manual = Album("2")
        }
        try log.expect([])
        player.manual.name = "3"
        try log.expect(["after new 3"])
    }

    @Test("Rule 24: a bare announcement of a hop that is never ended keeps nothing else silent")
    func aBareAnnouncementOfAHop() throws {
        Warnings.listen()
        watch(\.observed.label, .new)
        player.observed.willChangeValue(for: \.label)
        player.observed = Album("2")
        try log.expect(["after new label of 2"])
        player.observed.label = "3"
        try log.expect(["after new 3"])
    }

    @Test("Rule 24: what else changed inside a cancelled announcement is told")
    func whatChangedInsideACancelledAnnouncement() throws {
        watch(\.manual.name, .new)
        let change = player.willChange(\.manual)
        player.manual.name = "2"
        try log.expect([])
        change.cancel()
        try log.expect(["after new 2"])
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

    @Test("Rule 36: a hop that threads replace and announce at the same time leaves nobody deaf")
    func hopsThatThreadsReplace() throws {
        for _ in 0..<100 {
            let host = SharedHost()
            let heard = EventLog<String>()
            observations.observe(host, \.next?.title, options: .new) { _, _, change in heard.append(change.told) }
            let first = SharedNode()
            host.next = first
            let (isAnnounced, mayGoOn, isDone) = (Flag(), Flag(), Flag())
            Threads.start {
                first.withChange(of: \.title) {}
                isAnnounced.set()
                mayGoOn.wait()
                host.next?.title = "1"
                isDone.set()
            }
            host.next = SharedNode()
            isAnnounced.wait()
            _ = heard.removeAll()
            mayGoOn.set()
            isDone.wait()
            try heard.expect(["after new Optional(\"1\")"])
        }
    }

    final class SharedHost: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var next: SharedNode?
    }

    final class SharedNode: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the storage is under a lock.
        private let storage = Mutex("")
        var title: String {
            get { storage.withLock { $0 } }
            set { withChange(of: \.title) { storage.withLock { $0 = newValue } } }
        }
    }

    @Test("Rule 18: a constant is that of the class that the key path names, also if a subclass is another")
    func constantsOfSubclasses() {
        let room = Cellar()
        observations.observe(room, \.shelf.inner.album.name, options: .new) { log.append($2.told) }
        room.shelf = Cellar.Small()
        room.shelf.inner.album.name = "2"
        #expect(log.events.count == 2)
    }

    final class Cellar: KeyValueObject {
        final class Holder { let album = Album("1") }
        class Shelf: KeyValueObject {
            fileprivate let inner: Holder
            init(_ inner: Holder) { self.inner = inner }
        }
        final class Big: Shelf { private let other = Holder() }
        final class Small: Shelf {
            let number = 0x4141_4141_4140
            init() { super.init(Holder()) }
        }
        @Observed var shelf: Shelf = Big(Holder())
    }
}
