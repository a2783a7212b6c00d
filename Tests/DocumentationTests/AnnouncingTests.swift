import SafeKVO
import SafeKVOTesting
import Testing

/// Manual notification, changes of elements, and batches in one class.
@Suite struct AnnouncingTests {
    final class Playlist: KeyValueObject {
        @Observed var songs = ["Aria"]
        @Observed var isShuffled = false
        private var file = ["title": "Untitled"]  // foreign state: nobody sees it change

        var title: String {
            get { file["title"] ?? "" }
            set { withChange(of: \.title) { file["title"] = newValue } }
        }

        var label: String { "\(title), \(songs.count) songs" }

        override static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool {
            key != \Playlist.title && super.automaticallyNotifiesObservers(for: key)  // it announces itself, by hand
        }

        override static func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            switch key {
            case \Playlist.label: [\Playlist.title]  // added to what `label` reads of observed properties
            default: super.keyPathsForValuesAffectingValue(for: key)
            }
        }
    }

    final class Listener {}

    @Test("Changes are notified manually, by element, and as one")
    func eachWayIsHeard() throws {
        let (playlist, listener, log) = (Playlist(), Listener(), EventLog<String>())
        let observations = ObservationController(observer: listener)
        observations.observe(playlist, \.label, options: .new) { [log] _, _, change in log.append(change.newValue ?? "") }
        observations.observe(playlist, \.songs, options: .new) { [log] _, _, change in
            log.append("\(change.kind) of \(change.newValue ?? []) at \(change.indexes?.ranges.map { "\($0)" } ?? [])")
        }
        playlist.title = "Suites"  // hears label: "Suites, 1 songs"
        let songs = playlist.mutableArrayValue(for: \.songs)
        songs.append("Gavotte")  // hears songs: an insertion of ["Gavotte"] at 1, nothing else copied or compared
        withBatchedChanges {  // hears label and songs once each, at the end
            playlist.title = "Short suites"
            playlist.songs.removeFirst()
            playlist.songs.append("Gigue")
        }
        try log.expect([
            "Suites, 1 songs", "Suites, 2 songs", #"insertion of ["Gavotte"] at ["1..<2"]"#, "Short suites, 2 songs",
            #"setting of ["Gavotte", "Gigue"] at []"#,
        ])
    }
}
