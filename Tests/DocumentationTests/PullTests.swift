import Observation
import SafeKVO
import SafeKVOTesting
import Testing

/// The documentation's blocks on values that announce nothing, compiled and run.
@Suite @MainActor struct PullTests {
    final class File {
        var size = 0
    }

    // snippet: swift-observable
    @Observable @MainActor final class Counter {
        var count = 0
        var label: String { "\(count)" }
    }
    // end snippet

    @MainActor final class View {
        var lines: [String] = []
        private(set) lazy var observations = ObservationController(observer: self)
        func say(_ line: String) { lines.append(line) }
    }

    // snippet: plant-poll
    final class Meter {  // an ordinary class, which never leaves its actor
        var flow = 0
    }

    actor Station {
        private let meter = Meter()
        private(set) var flows: [Int] = []
        private lazy var observations = ObservationController(observer: self)

        func start(_ clock: some Clock<Duration>) {
            observations.poll(meter, \.flow, every: .seconds(60), clock: clock) { station, flow in
                station.assumeIsolated { $0.flows.append(flow) }
            }
        }

        func open() { meter.flow += 1 }
    }
    // end snippet

    @Test("README: a value is polled, and an object of Swift's own @Observable observed")
    func valuesThatAnnounceNothingAreObserved() async {
        let (file, counter, view) = (File(), Counter(), View())
        let observations = view.observations
        // snippet: pull
        observations.poll(file, \.size, every: .seconds(1)) { view, size in view.say("size \(size)") }  // any object, any clock
        observations.observe(counter, \.label) { view, label in view.say("label \(label)") }  // Swift's own @Observable
        // end snippet
        counter.count = 1
        for _ in 0..<20_000 where view.lines.count < 3 { await Task.detached {}.value }
        #expect(view.lines == ["size 0", "label 0", "label 1"])
    }

    @Test("Article on values that announce nothing: a test moves the clock")
    func aTestMovesTheClock() async throws {
        let (file, view) = (File(), View())
        // snippet: stepped
        let clock = SteppedClock()
        view.observations.poll(file, \.size, every: .seconds(1), clock: clock, options: [.old, .new], removing: .duplicates) {
            view, file, change in
            view.say("\(change.oldValue ?? 0) became \(change.newValue ?? 0)")
        }
        file.size = 7
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await clock.waitForSleepers(1)  // it has looked, and waits again
        #expect(view.lines == ["0 became 7"])
        // end snippet
    }

    @Test("Article on values that announce nothing: an actor polls what it owns")
    func anActorPollsWhatItOwns() async throws {
        let (station, clock) = (Station(), SteppedClock())
        await station.start(clock)
        await station.open()
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        try await clock.waitForSleepers(1)
        #expect(await station.flows == [0, 1])
    }
}
