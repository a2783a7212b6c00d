import Observation
import SafeKVO
import SafeKVOTesting
import Testing

/// The documentation's blocks on values that announce nothing, compiled and run.
@Suite @MainActor struct ModelsPullTests {
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
            observations.poll(meter, \.flow, every: .seconds(60), clock: clock) {
                station, flow in station.assumeIsolated { $0.flows.append(flow) }
            }
        }

        func open() { meter.flow += 1 }
    }
    // end snippet

    @Test("A value is polled, and an object of Swift's own @Observable observed")
    func valuesThatAnnounceNothingAreObserved() async {
        let (file, counter, view) = (File(), Counter(), View())
        let observations = view.observations
        observations.poll(file, \.size, every: .seconds(1)) { view, size in view.say("size \(size)") }  // any object, any clock
        observations.observe(counter, \.label) { view, label in view.say("label \(label)") }  // Swift's own @Observable
        counter.count = 1
        for _ in 0..<20_000 where view.lines.count < 3 { await Task.detached {}.value }
        #expect(view.lines == ["size 0", "label 0", "label 1"])
    }

    @Test("Article on models: a value is polled")
    func aValueIsPolled() async throws {
        let (file, view) = (File(), View())
        let observations = view.observations
        // snippet: pull-poll
        observations.poll(file, \.size, every: .seconds(1)) { view, size in
            view.say("size \(size)")
        }
        print(view.lines)  // prints ["size 0"]: the present value, at once
        // end snippet
        #expect(view.lines == ["size 0"])
    }

    @Test("Article on models: an @Observable object is observed")
    func anObservableObjectIsObserved() async {
        let view = View()
        // snippet: pull-observable-use
        let counter = Counter()
        view.observations.observe(counter, \.label) { view, label in view.say(label) }
        counter.count = 1
        counter.count = 2
        print(view.lines)  // prints ["0", "1"]: 2 follows when the actor is free (Swift 6.4: it is there)
        // end snippet
        #if !compiler(>=6.4)
            #expect(view.lines == ["0", "1"])
        #endif
        for _ in 0..<20_000 where view.lines.count < 3 { await Task.detached {}.value }
        #expect(view.lines == ["0", "1", "2"])
    }

    @Test("Article on models: a test moves the clock")
    func aTestMovesTheClock() async throws {
        let (file, view) = (File(), View())
        // snippet: stepped
        let clock = SteppedClock()
        view.observations.poll(file, \.size, every: .seconds(1), clock: clock) {
            view, size in view.say("size \(size)")
        }
        try await clock.waitForSleepers(1)  // the poll waits for the clock
        file.size = 7
        clock.advance(by: .seconds(1))
        try await clock.waitForSleepers(1)  // it has read the size, and waits again
        print(view.lines)  // prints ["size 0", "size 7"]
        // end snippet
        #expect(view.lines == ["size 0", "size 7"])
    }

    @Test("Article on models: an actor polls what it owns")
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
