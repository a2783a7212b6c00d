import SafeKVO
import SafeKVOTesting
import Testing

/// The examples of the article on collections.
@Suite struct CollectionTests {
    // snippet: collection-model
    final class Album: KeyValueObject {
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

    private func observe(_ album: Album, by list: List) {
        let observations = list.observations
        // snippet: collection-observe
        observations.observe(album, \.songs, options: [.old, .new]) { list, _, change in
            let (old, new, indexes) = (change.oldValue ?? [], change.newValue ?? [], change.indexes ?? RangeSet())
            switch change.kind {
            case .setting: list.reload(new)  // assigned, or changed otherwise: whole values, no indexes
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
        // snippet: collection-edits
        let songs = album.mutableArrayValue(for: \.songs)
        songs.append("Gigue")  // insertion of ["Gigue"] at 1
        songs[0] = "Prelude"  // replacement of ["Aria"] by ["Prelude"]
        songs.remove(at: 1)  // removal of ["Gigue"] at 1
        album.songs.append("Gavotte")  // in place, without a proxy: a setting
        // end snippet
        #expect(
            list.heard == [
                "insert [\"Gigue\"] at [Range(1..<2)]", "replace [\"Aria\"] by [\"Prelude\"]", "remove [\"Gigue\"] at [Range(1..<2)]",
                "all [\"Prelude\", \"Gavotte\"]",
            ])
    }

    @Test("Article on collections: sets, and differences")
    func setsAndDifferences() {
        let (album, list) = (Album(), List())
        let observations = list.observations
        // snippet: collection-set
        observations.observe(album, \.genres, options: [.old, .new]) { list, _, change in
            list.heard.append("\(change.kind): \(change.oldValue ?? []) → \(change.newValue ?? [])")
        }
        album.mutableSetValue(for: \.genres).insert("suite")  // insertion: [] → ["suite"]
        album.mutableSetValue(for: \.genres).formIntersection(["suite"])  // removal: ["baroque"] → []
        // end snippet
        #expect(list.heard == ["insertion: [] → [\"suite\"]", "removal: [\"baroque\"] → []"])
        list.heard = []
        // snippet: collection-difference
        observations.observe(album, \.songs, options: [.old, .new]) { list, _, change in
            list.heard.append("\(change.difference?.count ?? 0) moves")  // of any change, also of a setting
        }
        album.songs = ["Gigue", "Aria"]
        // end snippet
        #expect(list.heard == ["1 moves"])
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
}
