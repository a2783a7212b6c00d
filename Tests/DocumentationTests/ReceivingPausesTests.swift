import SafeKVO
import Testing

/// The examples of the article on receiving values, of pauses and of observations that end themselves.
@Suite struct ReceivingPausesTests {
    final class Track: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var progress = 0
    }

    final class Bar {
        var lines: [String] = []
        private(set) lazy var observations = ObservationController(observer: self)
    }

    @Test("Pausing: nothing while it is paused, then the present value")
    func aPausedControllerCallsNobody() {
        let (track, bar) = (Track(), Bar())
        let observations = bar.observations
        // snippet: pause
        observations.observe(track, \.progress) { bar, progress in
            bar.lines.append("at \(progress)")
        }
        observations.observe(track, \.progress, options: .new, tag: "change") {
            bar, track, change in bar.lines.append("changed")
        }
        observations.pause()  // the bar is hidden
        track.progress = 1
        track.progress = 2
        observations.resume()  // the bar is shown again
        track.progress = 3
        print(bar.lines)  // prints ["at 0", "at 2", "at 3", "changed"]
        // end snippet
        #expect(bar.lines == ["at 0", "at 2", "at 3", "changed"])
    }

    @Test("Once, and until")
    func whatEndsItself() {
        let (track, bar) = (Track(), Bar())
        let observations = bar.observations
        // snippet: once
        observations.observeOnce(track, \.progress, where: { $0 >= 50 }) {
            bar, progress in bar.lines.append("half at \(progress)")
        }
        observations.observe(track, \.progress, until: { $0 >= 100 }, tag: "all") {
            bar, progress in bar.lines.append("\(progress)")
        }
        for progress in [20, 60, 100, 0] { track.progress = progress }
        print(bar.lines)  // prints ["0", "20", "half at 60", "60", "100"]
        // end snippet
        #expect(bar.lines == ["0", "20", "half at 60", "60", "100"])
    }
}
