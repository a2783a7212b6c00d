import SafeKVO
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

/// Announcements of such hops: cancelled, nested in batches, never ended, around what a declared dependent reads, on two threads.
extension ReportedHopTests {
    @Test("Rule 14: an announcement evaluates no getter that it does not concern")
    func gettersAreLeftAlone() throws {
        // The getter of `total` would trap: the array is open.
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

    @Test("Rule 24: an announcement of a hop that is cancelled notifies nobody, and the path follows the object that is there")
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

    @Test("Rules 16, 24: another change inside a cancelled announcement of a hop is delivered, once")
    func anotherChangeInsideACancelledAnnouncement() throws {
        watch(\.manual.name, .new)
        let change = player.willChange(\.manual)
        player.manual.name = "2"
        change.cancel()
        try log.expect(["after new 2"])
    }

    @Test("Rule 24: a bare announcement of a leaf that is never ended silences nothing of the object that takes the place")
    func aBareAnnouncementThatIsNeverEnded() throws {
        Warnings.listen()
        watch(\.observed.title, .new)
        player.observed.willChangeValue(for: \.title)
        player.observed = Album("2")
        try log.expect(["after new title of 2"])
        player.observed.title = "3"
        try log.expect(["after new 3"])
    }

    @Test("Rule 47: a batch gives one call for a path with a manually announced hop or leaf")
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

    @Test("Rule 16: for a declared dependent, an announcement and an assignment inside are two changes, in every form", arguments: 0...2)
    func changesOfADeclaredDependent(form: Int) throws {
        let card = Card(form: form)
        observations.observe(card, \.line, options: [.prior, .new]) { log.append($2.told) }
        card.title = "b"
        try log.expect(["prior", "prior", "after new a, b", "after new b, b"])
    }

    final class Card: KeyValueObject {
        @Observed private var stored = "a"
        private var file = "a"
        private let form: Int
        init(form: Int) { self.form = form }
        var title: String {
            get { file }
            set {
                switch form {
                case 0: withChange(of: \.title) { (stored, file) = (newValue, newValue) }
                case 1:
                    let change = willChange(\.title)
                    (stored, file) = (newValue, newValue)
                    change.didChange()
                default:
                    willChangeValue(for: \.title)
                    (stored, file) = (newValue, newValue)
                    didChangeValue(for: \.title)
                }
            }
        }
        var line: String { "\(title), \(stored)" }
        override static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            key == \Card.line ? [\Card.title] : super.keyPathsForValuesAffectingValue(for: key)
        }
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

    @Test("Rule 17: a declared path is followed through what its getters report, where the dependent itself reads nothing that reports")
    func declaredThroughAManualLeaf() throws {
        let host = Host()
        observations.observe(host, \.line, options: .new) { log.append($2.told) }
        let former = host.album
        host.write("2")
        host.album.title = "other"
        try log.expect(["after new 2"])
        host.album = Album("3")
        former.title = "stale"
        host.write("4")
        host.album.title = "other"
        try log.expect(["after new 2", "after new 4"])
    }

    final class Host: KeyValueObject {
        @Observed var album = Album("1")
        private var text = "1"
        var line: String { text }
        func write(_ text: String) { self.text = text }
        override static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            key == \Host.line ? [\Host.album.title] : super.keyPathsForValuesAffectingValue(for: key)
        }
    }

    // MARK: Two threads

    @Test("Rule 36: a hop that threads replace and announce at the same time leaves nobody deaf")
    func hopsThatThreadsReplace() async {
        for _ in 0..<100 {
            let host = SharedHost()
            let heard = EventLog<String>()
            observations.observe(host, \.next?.title, options: .new, on: .anyThread { _, _, change in heard.append(change.told) })
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
            await until { heard.events.last == "after new Optional(\"1\")" }
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
            get {
                access(\.title)
                return storage.withLock { $0 }
            }
            set { withChange(of: \.title) { storage.withLock { $0 = newValue } } }
        }
    }
}
