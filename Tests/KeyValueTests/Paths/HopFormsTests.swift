import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Hops of other forms: structures, computed objects, weak references, requirements of protocols, overrides, two hops of one type.
///
/// Each says with `access(_:)` what it reads. No getter is evaluated only to find that out.
@Suite struct HopFormsTests {
    class Album: KeyValueObject, Titled {
        @Observed var name: String
        @Observed var artist: Artist
        private var text: String
        var title: String {
            get {
                access(\.title)
                return text
            }
            set { withChange(of: \.title) { text = newValue } }
        }
        var headline: String { artist.name }
        init(_ name: String) {
            self.name = name
            artist = Artist(name)
            text = name
        }
    }

    final class Artist: KeyValueObject {
        @Observed var name: String
        init(_ name: String) { self.name = name }
    }

    /// An album whose name is announced manually.
    final class FileAlbum: Album {
        private var file: String
        override var name: String {
            get {
                access(\.name)
                return file
            }
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
            get {
                access(\.manual)
                return hidden
            }
            set { withChange(of: \.manual) { hidden = newValue } }
        }
        var box: Box {
            get {
                access(\.box)
                return hiddenBox
            }
            set { withChange(of: \.box) { hiddenBox = newValue } }
        }
        var reference: Album? {
            get {
                access(\.reference)
                return target
            }
            set { withChange(of: \.reference) { target = newValue } }
        }
        var session: Album {
            access(\.session)
            evaluations += 1
            return later
        }
        private(set) var evaluations = 0
        var current: Album { isLoud ? manual : observed }
        var count: Int { plays.count }

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

    // MARK: Getters that are not evaluated

    @Test("Rule 14: a key that is announced while its getter would trap is not evaluated for the observers of other keys")
    func theAnnouncedKeyIsLeftAlone() throws {
        watch(\.observed.name.count)
        watch(\.observed.artist.name)
        player.connect(Album("2"))
        try log.expect([])
    }

    @Test("Rule 23: a key that is announced inside a mutation of what its getter reads is not evaluated for the observers of other keys")
    func aKeyInsideAMutationIsLeftAlone() throws {
        watch(\.item.title.count)
        watch(\.observed.name.count)
        player.thinOut()
        try log.expect([])
        #expect(player.plays == [1])
    }

    @Test("Rule 14: while nobody observes a key path, an announcement of its hop evaluates nothing")
    func anUnobservedPathIsLeftAlone() throws {
        player.connect(Album("1"))
        watch(\.session.name)
        player.connect(Album("2"))
        try log.expect(["after new 2"])
        observations.unobserve(player, \.session.name)
        let evaluations = player.evaluations
        player.connect(Album("3"))
        try log.expect([])
        #expect(player.evaluations == evaluations)
    }

    // MARK: Forms of hops

    @Test("Rule 14: a last property that is computed from other objects is followed when the hop before it is replaced")
    func aLeafOverOtherObjects() throws {
        watch(\.manual.headline)
        player.manual = Album("2")
        try log.expect(["after new 2"])
        player.manual.artist.name = "3"
        try log.expect(["after new 3"])
    }

    @Test("Rule 14: an object in a structure is followed when the structure is replaced, and the former object is silent")
    func aStructureThatIsAnnounced() throws {
        watch(\.box.name)
        let former = player.box.artist
        player.box = Box(artist: Artist("2"))
        try log.expect(["after new 2"])
        former.name = "stale"
        try log.expect([])
        player.box.artist.name = "3"
        try log.expect(["after new 3"])
    }

    @Test("Rule 14: the object that a computed hop returns is followed, also if the hop returns another one")
    func aComputedHop() throws {
        watch(\.current.title)
        player.observed.title = "2"
        try log.expect(["after new 2"])
        player.manual = Album("3")
        try log.expect([])
        player.isLoud = true
        player.observed.title = "stale"
        try log.expect(["after new 3"])
        player.manual = Album("4")
        try log.expect(["after new 4"])
    }

    @Test("Rule 14: a weak hop whose object was deallocated is followed when it is announced")
    func aWeakHopWhoseObjectWasDeallocated() throws {
        var album: Album? = Album("1")
        player.reference = album
        watch(\.reference?.name)
        album = nil
        try log.expect([])
        player.reference = nil
        try log.expect(["after new nil"])
        let other = Album("2")
        player.reference = other
        other.name = "3"
        try log.expect(["after new Optional(\"2\")", "after new Optional(\"3\")"])
    }

    @Test("Rule 14: an override that is announced manually is heard behind a chain that began without it")
    func anOverrideThatComesLater() throws {
        watch(\.observed.name)
        let file = FileAlbum("2")
        player.observed = file
        try log.expect(["after new 2"])
        file.name = "3"
        try log.expect(["after new 3"])
        player.observed = Album("4")
        file.name = "stale"
        player.observed.name = "5"
        try log.expect(["after new 4", "after new 5"])
    }

    @Test("Rule 14: a requirement of a protocol is followed by the property that fulfils it")
    func aRequirementOfAProtocol() throws {
        watch(\.item.title)
        let album = Album("2")
        player.item = album
        try log.expect(["after new 2"])
        album.title = "3"
        try log.expect(["after new 3"])
    }

    @Test("Rule 14: two manually announced references of one type are told apart")
    func twoReferencesOfOneType() throws {
        player.connect(Album("5"))
        watch(\.manual.name)
        player.connect(Album("6"))
        try log.expect([])
        player.manual = Album("2")
        try log.expect(["after new 2"])
    }
}
