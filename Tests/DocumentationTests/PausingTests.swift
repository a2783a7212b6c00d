import SafeKVO
import Testing

/// The article on pauses, and on observations that end themselves.
@Suite struct PausingTests {
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
        observations.observe(track, \.progress) { bar, progress in bar.lines.append("at \(progress)") }
        observations.observe(track, \.progress, options: .new, tag: "change") { bar, track, change in bar.lines.append("changed") }
        observations.pause()  // the view has disappeared
        track.progress = 1
        track.progress = 2
        observations.resume()  // it has appeared again
        track.progress = 3
        // end snippet
        #expect(bar.lines == ["at 0", "at 2", "at 3", "changed"])
    }

    @Test("Once, until, and a value that is waited for")
    func whatEndsItself() async throws {
        let (track, bar) = (Track(), Bar())
        let observations = bar.observations
        // snippet: once
        observations.observeOnce(track, \.progress, where: { $0 >= 50 }) { bar, progress in bar.lines.append("half at \(progress)") }
        observations.observe(track, \.progress, until: { $0 >= 100 }, tag: "all") { bar, progress in bar.lines.append("\(progress)") }
        // end snippet
        for progress in [20, 60, 100, 0] { track.progress = progress }
        #expect(bar.lines == ["0", "20", "half at 60", "60", "100"])
        track.progress = 100
        let line = try await Self.wait(for: track, observations)
        #expect(line == "100")
    }

    // snippet: awaited-value
    static func wait(for track: Track, _ observations: ObservationController<Bar>) async throws -> String {
        let progress = try await observations.value(of: track, \.progress) { $0 >= 100 }
        return "\(progress)"
    }
    // end snippet
}
