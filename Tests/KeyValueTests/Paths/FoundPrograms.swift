import SafeKVO

/// The observed classes of ``FoundProgramsTests``, in a file of their own.
///
/// The optimiser may then make two thunks of one getter, one for this file and one for the file that uses the key path.
enum FoundPrograms {
    final class Report: KeyValueObject {
        @Observed private var title = "Report"
        private var lines = ""  // not observed
        var summary: String { title + lines }
        var reportedSummary: String {
            access(\.reportedSummary)
            return title + lines
        }
        func write(_ text: String) {
            withChange(of: \.summary) {
                withChange(of: \.reportedSummary) { lines = text }
            }
        }
        func rename(_ text: String) { title = text }
    }

    final class Shelf: KeyValueObject {
        @Observed var report = Report()
    }

    final class Track: KeyValueObject {
        @Observed var name: String
        init(_ name: String) { self.name = name }
    }

    final class Player: KeyValueObject {
        @Observed var selected: Track? = Track("selected")
        private weak var forced: Track?
        @WeakObserved private var preferred: Track?
        var current: Track? { forced ?? selected }
        var reportedCurrent: Track? {
            access(\.reportedCurrent)
            return forced ?? selected
        }
        var preferredCurrent: Track? { preferred ?? selected }
        func force(_ track: Track?) {
            preferred = track
            withChange(of: \.current) {
                withChange(of: \.reportedCurrent) { forced = track }
            }
        }
    }

    final class Song: KeyValueObject {
        private var (a, b) = ("a", "b")
        var title: String { a }
        var note: String { b }
        func setTitle(_ text: String) { withChange(of: \.title) { a = text } }
    }

    final class Radio: KeyValueObject {
        @Observed var song = Song()
    }
}
