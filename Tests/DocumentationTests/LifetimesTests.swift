import SafeKVO
import Testing

/// The examples of the article on lifetimes.
@Suite struct LifetimesTests {
    // snippet: lifetimes-classes
    final class Song: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var title = "Aria"
    }

    final class SongView {
        lazy var observations = ObservationController(observer: self)
    }
    // end snippet

    @Test("Article on lifetimes: an observation ends with its observer")
    func anObservationEndsWithItsObserver() {
        var printed: [String] = []
        func print(_ line: String) { printed.append(line) }
        // snippet: lifetimes
        let song = Song()
        var view: SongView? = SongView()
        view?.observations.observe(song, \.title) { view, title in
            print(title)
        }  // prints Aria
        song.title = "Gigue"  // prints Gigue
        view = nil  // the view, its controller and its observation end here
        song.title = "Gavotte"  // prints nothing
        // end snippet
        #expect(printed == ["Aria", "Gigue"])
    }
}
