import SafeKVO
import TestSupport
import Testing

/// Rule 14: the warning about what no getter reports looks for key paths that other threads may be ending.
@Suite struct AnnouncementRaceTests {
    /// An object that threads share; its plain properties are announced, and never written.
    final class Song: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) only the atomic property is written.
        @AtomicObserved var rating = 1
        let title = "t"
        let name = "n"
        var rated: Song {
            _ = rating
            return self
        }
    }

    final class Album: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) each album is used by the thread that made it.
        @Observed var song: Song
        init(_ song: Song) { self.song = song }
    }

    final class Observer: Sendable {}

    @Test("Rule 14: announcements of what key paths seem to lead through meet key paths that begin and end on other threads")
    func pathsThatEnd() throws {
        let songs = (0..<4).map { _ in Song() }
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        try Threads.run(4) { index in
            var random = SeededGenerator(seed: seed &+ UInt64(index))
            for _ in 0..<3000 {
                let song = songs[Int.random(in: 0..<4, using: &random)]
                if index < 2 {
                    if Int.random(in: 0..<2, using: &random) == 0 {
                        song.withChange(of: \.title) {}
                    } else {
                        song.withChange(of: \.name) {}
                    }
                    continue
                }
                let (album, observer) = (Album(song), Observer())
                let observations = ObservationController(observer: observer)
                observations.observe(
                    album, Int.random(in: 0..<2, using: &random) == 0 ? \.song.title : \.song.rated.name, options: [],
                    on: .anyThread { _, _, _ in })
                if Int.random(in: 0..<3, using: &random) == 0 { album.song = songs[Int.random(in: 0..<4, using: &random)] }
                observations.unobserve(album)
            }
        }
        #expect(songs.allSatisfy { $0.observationRecords.observers == 0 })
    }
}
