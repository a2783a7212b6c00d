import SafeKVO
import SafeKVOTesting
import Testing

/// Key paths with a hop of which nothing but the type is known: its announcement is heard, and no getter is evaluated to find out more.
@Suite struct UndecidedHopTests {
    class Album: KeyValueObject, Titled {
        @Observed var name: String
        @Observed var artist: Artist
        var title: String
        var headline: String { artist.name }
        init(_ name: String) {
            self.name = name
            artist = Artist(name)
            title = name
        }
    }

    final class Artist: KeyValueObject {
        @Observed var name: String
        init(_ name: String) { self.name = name }
    }

    /// An album whose name is announced by hand.
    final class FileAlbum: Album {
        private var file: String
        override var name: String {
            get { file }
            set { withChange(of: \.name) { file = newValue } }
        }
        override init(_ name: String) {
            file = name
            super.init(name)
        }
    }

    protocol Titled: KeyValueObject {
        var title: String { get }
    }

    struct Box {
        var artist: Artist
        var name: String { artist.name }
    }

    final class Player: KeyValueObject {
        @Observed var observed = Album("1")
        @Observed var isLoud = false
        @Observed var item: any Titled = Album("1")
        @Observed var plays = [1, 2, 3]
        private var hidden = Album("1")
        private var later: Album!
        private var hiddenBox = Box(artist: Artist("1"))
        private weak var target: Album?
        var manual: Album {
            get { hidden }
            set { withChange(of: \.manual) { hidden = newValue } }
        }
        var box: Box {
            get { hiddenBox }
            set { withChange(of: \.box) { hiddenBox = newValue } }
        }
        var reference: Album? {
            get { target }
            set { withChange(of: \.reference) { target = newValue } }
        }
        var session: Album { later }
        var current: Album { isLoud ? hidden : observed }
        var count: Int { plays.count }
        var first: Int? { plays.first }

        func connect(_ album: Album?) { withChange(of: \.session) { later = album } }

        func thinOut() {
            plays.removeAll { play in
                withChange(of: \.count) {}
                return play > 1
            }
        }
    }

    final class Observer {}

    let player = Player()
    let observer = Observer()
    let log = EventLog<String>()
    let observations: ObservationController<Observer>

    init() {
        observations = ObservationController(observer: observer)
    }

    func watch<Value>(_ keyPath: KeyPath<Player, Value>) {
        observations.observe(player, keyPath, options: .new) { log.append($2.told) }
    }

    // MARK: Nothing is evaluated to find out

    @Test("Rule 14: a key that is announced where its getter cannot be called is not evaluated")
    func theAnnouncedKeyIsLeftAlone() throws {
        watch(\.observed.name.count)
        watch(\.observed.artist.name)
        player.connect(Album("2"))
        try log.expect([])
    }

    @Test("Rule 23: a key that is announced inside an access to what its getter reads is not evaluated")
    func aKeyInsideAnAccessIsLeftAlone() throws {
        watch(\.item.title.count)
        watch(\.observed.name.count)
        player.thinOut()
        try log.expect([])
        #expect(player.plays == [1])
    }

    @Test("While nobody observes a key path, an announcement of its hop evaluates nothing")
    func anUnobservedPathIsLeftAlone() throws {
        player.connect(Album("1"))
        watch(\.session.name)
        observations.unobserve(player, \.session.name)
        player.connect(nil)
        try log.expect([])
    }

    // MARK: Nothing is missed

    @Test("Rule 14: a last property that is computed from other objects is heard when the hop before it is replaced")
    func aLeafOverOtherObjects() throws {
        watch(\.manual.headline)
        player.manual = Album("2")
        player.manual.artist.name = "3"
        try log.expect(["after new 2", "after new 3"])
    }

    @Test("Rule 14: what a structure leads to is followed when the structure is replaced, and no longer when it is gone")
    func aStructureThatIsAnnounced() throws {
        watch(\.box.name)
        let former = player.box.artist
        player.box = Box(artist: Artist("2"))
        former.name = "stale"
        player.box.artist.name = "3"
        try log.expect(["after new 2", "after new 3"])
    }

    @Test("Rule 14: a key is heard of the object that a computed hop leads to")
    func anObjectBehindAComputedHop() throws {
        watch(\.current.title)
        player.observed.withChange(of: \.title) { player.observed.title = "2" }
        try log.expect(["after new 2"])
    }

    @Test("Rule 14: a weak hop that has died is heard when it is announced")
    func aWeakHopThatHasDied() throws {
        var album: Album? = Album("1")
        player.reference = album
        watch(\.reference?.name)
        album = nil
        player.reference = nil
        let other = Album("2")
        player.reference = other
        other.name = "3"
        try log.expect(["after new nil", "after new Optional(\"2\")", "after new Optional(\"3\")"])
    }

    @Test("Rule 14: an override that is announced by hand is heard behind a chain that began without it")
    func anOverrideThatComesLater() throws {
        watch(\.observed.name)
        let file = FileAlbum("2")
        player.observed = file
        file.name = "3"
        try log.expect(["after new 2", "after new 3"])
    }

    @Test("Rule 14: what fulfils a requirement of a protocol is heard by its announcement")
    func aRequirementOfAProtocol() throws {
        watch(\.item.title)
        let album = Album("2")
        player.item = album
        album.withChange(of: \.title) { album.title = "3" }
        try log.expect(["after new 2", "after new 3"])
    }

    @Test("Rule 14: of two references of one type that are announced by hand, each is told apart")
    func twoReferencesOfOneType() throws {
        player.connect(Album("5"))
        watch(\.manual.name)
        player.connect(Album("6"))
        try log.expect([])
        player.manual = Album("2")
        try log.expect(["after new 2"])
    }
}
