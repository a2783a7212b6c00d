import SafeKVO
import SafeKVOTesting
import Testing

/// The examples of the article on collections.
@Suite struct CollectionsTests {
    // snippet: collection-model
    final class Album: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var songs = ["Aria"]
        @Observed var genres: Set<String> = ["baroque"]
    }
    // end snippet

    final class List {
        var heard: [String] = []
        lazy var observations = ObservationController(observer: self)
        func reload(_ songs: [String]) { heard.append("all \(songs)") }
        func insert(_ songs: [String], at indexes: RangeSet<Int>) { heard.append("insert \(songs) at \(Array(indexes.ranges))") }
        func remove(_ songs: [String], at indexes: RangeSet<Int>) { heard.append("remove \(songs) at \(Array(indexes.ranges))") }
        func replace(_ old: [String], by new: [String]) { heard.append("replace \(old) by \(new)") }
    }

    @Test("Article on collections: an insertion is delivered as one")
    func anInsertion() {
        var printed: [String] = []
        func print(_ line: String) { printed.append(line) }
        let (album, list) = (Album(), List())
        let observations = list.observations
        // snippet: collection-first
        observations.observe(album, \.songs, options: .new) { _, _, change in
            print("\(change.kind) of \(change.newValue ?? [])")
        }
        let songs = album.mutableArrayValue(for: \.songs)
        songs.append("Gigue")  // prints insertion of ["Gigue"]
        album.songs.append("Polka")  // prints setting of ["Aria", "Gigue", "Polka"]
        // end snippet
        #expect(printed == [#"insertion of ["Gigue"]"#, #"setting of ["Aria", "Gigue", "Polka"]"#])
        withExtendedLifetime(list) {}
    }

    private func observe(_ album: Album, by list: List) {
        let observations = list.observations
        // snippet: collection-observe
        observations.observe(
            album, \.songs, options: [.old, .new]
        ) { list, _, change in
            let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
            let indexes = change.indexes ?? RangeSet()
            switch change.kind {
            case .setting: list.reload(new)  // whole values, no indexes
            case .insertion: list.insert(new, at: indexes)
            case .removal: list.remove(old, at: indexes)
            case .replacement: list.replace(old, by: new)
            }
        }
        // end snippet
    }

    @Test("Article on collections: what is done through a proxy is told as it was done")
    func edits() {
        let (album, list) = (Album(), List())
        observe(album, by: list)
        let songs = album.mutableArrayValue(for: \.songs)
        songs.append("Gigue")  // list.insert(["Gigue"], at: 1)
        songs[0] = "Prelude"  // list.replace(["Aria"], by: ["Prelude"])
        songs.remove(at: 1)  // list.remove(["Gigue"], at: 1)
        album.songs.append("Gavotte")  // list.reload(["Prelude", "Gavotte"])
        #expect(
            list.heard == [
                "insert [\"Gigue\"] at [Range(1..<2)]", "replace [\"Aria\"] by [\"Prelude\"]", "remove [\"Gigue\"] at [Range(1..<2)]",
                "all [\"Prelude\", \"Gavotte\"]",
            ])
    }

    @Test("Article on collections: any other change is one setting")
    func anyOtherChange() {
        let (album, list) = (Album(), List())
        album.songs = ["Gigue", "Aria", "Polka"]
        observe(album, by: list)
        // snippet: collection-change
        let songs = album.mutableArrayValue(for: \.songs)
        songs.change { songs in
            songs.sort()
            songs.removeLast(2)
        }  // setting of ["Aria"]
        // end snippet
        #expect(list.heard == ["all [\"Aria\"]"])
    }

    @Test("Article on collections: sets, and differences")
    func setsAndDifferences() {
        let (album, list) = (Album(), List())
        let observations = list.observations
        // snippet: collection-set
        observations.observe(
            album, \.genres, options: [.old, .new]
        ) { list, _, change in
            let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
            list.heard.append("\(change.kind): \(old) → \(new)")
        }
        let genres = album.mutableSetValue(for: \.genres)
        genres.insert("suite")  // insertion: [] → ["suite"]
        genres.formIntersection(["suite"])  // removal: ["baroque"] → []
        // end snippet
        #expect(list.heard == ["insertion: [] → [\"suite\"]", "removal: [\"baroque\"] → []"])
        list.heard = []
        // snippet: collection-difference
        observations.observe(
            album, \.songs, options: [.old, .new]
        ) { list, _, change in
            list.heard.append("edits: \(change.difference?.count ?? 0)")
        }
        album.songs = ["Gigue", "Aria"]  // edits: 1, "Gigue" was inserted
        // end snippet
        #expect(list.heard == ["edits: 1"])
    }

    // snippet: collection-shared
    // Any thread edits it, so its constant holds an atomic value.
    final class Playlist: Sendable {
        let songs = ObservedValue(["Aria"])
    }

    @MainActor final class SongTable {
        private(set) var rows: [String] = []
        private lazy var observations = ObservationController(observer: self)

        func show(_ playlist: Playlist) {
            observations.observe(
                playlist.songs, \.value, options: [.initial, .old, .new],
                on: .mainActor { table, _, change in table.apply(change) })
        }

        private func apply(_ change: KeyValueChange<[String]>) {
            let new = change.newValue ?? []
            let indexes = change.indexes ?? RangeSet()
            switch change.kind {
            case .setting: rows = new  // the initial call, too
            case .removal: rows.removeSubranges(indexes)
            case .insertion:
                for (index, song) in zip(indexes.ranges.joined(), new) {
                    rows.insert(song, at: index)
                }
            case .replacement:
                for (index, song) in zip(indexes.ranges.joined(), new) {
                    rows[index] = song
                }
            }
        }
    }
    // end snippet

    @Test("Article on collections: edits that another thread makes are applied on the main actor")
    @MainActor func editsOnTheMainActor() async {
        let (playlist, table) = (Playlist(), SongTable())
        // snippet: collection-shared-use
        table.show(playlist)  // table.rows is ["Aria"]
        await Task.detached {
            let songs = playlist.songs.mutableArrayValue(for: \.value)
            songs.append("Gigue")
            songs[0] = "Prelude"
            songs.insert("Sarabande", at: 1)
        }.value
        // A moment later, table.rows is ["Prelude", "Sarabande", "Gigue"].
        // end snippet
        while table.rows.count < 3 { await Task.yield() }
        #expect(table.rows == ["Prelude", "Sarabande", "Gigue"])
        await Task.detached { playlist.songs.mutableArrayValue(for: \.value).removeAll { $0 != "Gigue" } }.value
        while table.rows.count > 1 { await Task.yield() }
        #expect(table.rows == ["Gigue"])
        await Task.detached { playlist.songs.value = [] }.value
        while !table.rows.isEmpty { await Task.yield() }
    }

    final class Player: KeyValueObject {
        let fixed = Album()
        @Observed var album = Album()
        @Observed var optional: Album? = Album()
        @WeakObserved var weak: Album?
        var songs: [String] { album.songs }
        var shortSongs: [String] { album.songs.filter { $0.count < 5 } }
    }

    @Test("Article on collections: kinds pass where the value of the key path is the collection itself")
    func kindsPass() {
        let (player, list) = (Player(), List())
        let shared = player.album
        player.optional = shared
        player.weak = shared
        func observe(_ keyPath: KeyPath<Player, [String]>) {
            list.observations.observe(player, keyPath, options: [.old, .new]) { list, _, change in
                list.heard.append("\(change.kind) \(change.newValue ?? [])")
            }
        }
        func observe(_ keyPath: KeyPath<Player, [String]?>) {
            list.observations.observe(player, keyPath, options: [.old, .new]) { list, _, change in
                list.heard.append("\(change.kind) \((change.newValue ?? []) ?? [])")
            }
        }
        observe(\.fixed.songs)
        observe(\.album.songs)
        observe(\.optional?.songs)
        observe(\.weak?.songs)
        observe(\.songs)
        player.fixed.mutableArrayValue(for: \.songs).append("Gigue")
        #expect(list.heard == ["insertion [\"Gigue\"]"])
        shared.mutableArrayValue(for: \.songs).append("Gigue")
        #expect(list.heard == Array(repeating: "insertion [\"Gigue\"]", count: 5))
        list.observations.unobserveAll()
        list.heard = []
        observe(\.shortSongs)
        shared.mutableArrayValue(for: \.songs).append("Duo")
        #expect(list.heard == ["setting [\"Aria\", \"Duo\"]"])
    }

    @Test("Article on collections: by hand, and as one")
    func byHandAndAsOne() {
        let (album, list) = (Album(), List())
        observe(album, by: list)
        withBatchedChanges {
            album.mutableArrayValue(for: \.songs).append("Gigue")
            album.mutableArrayValue(for: \.songs).append("Gavotte")
        }
        #expect(list.heard == ["all [\"Aria\", \"Gigue\", \"Gavotte\"]"])
    }

    @Test("Article on collections: the value form always has the whole")
    func valueForm() {
        let (album, list) = (Album(), List())
        list.observations.observe(album, \.songs) { list, songs in list.heard.append("\(songs.count)") }
        album.mutableArrayValue(for: \.songs).append("Gigue")
        #expect(list.heard == ["1", "2"])
    }

    @Test("Article on collections: `swapAt` is a replacement, without a move; another order is a setting")
    func order() {
        let (album, list) = (Album(), List())
        album.songs = ["Aria", "Gigue", "Polka", "Waltz"]
        list.observations.observe(album, \.songs, options: [.old, .new]) { list, _, change in
            list.heard.append("\(change.kind) \(change.indexes.map { Array($0.ranges) } ?? []) \(change.difference?.count ?? -1)")
        }
        let songs = album.mutableArrayValue(for: \.songs)
        songs.swapAt(0, 2)
        songs.change { $0.sort() }
        #expect(list.heard == ["replacement [Range(0..<1), Range(2..<3)] 4", "setting [] 4"])
    }

    @Test("Article on observing: prior calls beside duplicates")
    func priorCallsBesideDuplicates() {
        let (album, list) = (Album(), List())
        list.observations.observe(album, \.songs, options: [.old, .new, .prior], removing: .duplicates) { list, _, change in
            list.heard.append(change.isPrior ? "prior" : "after")
        }
        album.songs = ["Aria"]
        #expect(list.heard.isEmpty)
        list.heard = []
        album.songs.append(contentsOf: [])
        #expect(list.heard == ["prior"])
        list.heard = []
        list.observations.observe(album, \.songs.count, options: [.old, .new, .prior], removing: .duplicates, tag: "n") {
            list, _, change in
            list.heard.append(change.isPrior ? "count prior" : "count after")
        }
        album.songs = ["Bourree"]
        #expect(list.heard == ["prior", "count prior", "after"])
    }

    private func edit<A: SongList>(_ list: A) { list.mutableArrayValue(for: \.songs).append("Gigue") }

    @Test("Article on collections: a key path of a protocol loses the elements")
    func aKeyPathOfAProtocol() {
        let (album, list) = (Album(), List())
        observe(album, by: list)
        edit(album)
        #expect(list.heard == ["all [\"Aria\", \"Gigue\"]"])
    }
}

protocol SongList: KeyValueObservable {
    var songs: [String] { get set }
}

extension CollectionsTests.Album: SongList {}
