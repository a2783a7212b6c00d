import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

@testable import SafeKVO

/// Where polls look, and where they tell.
@Suite struct PollIsolationTests {
    let log = EventLog<String>()
    let clock = SteppedClock()

    final class Tank {
        var level = 0
    }

    actor Plant {
        private let tank = Tank()
        private let log: EventLog<String>
        private lazy var observations = ObservationController(observer: self)

        init(_ log: EventLog<String>) { self.log = log }

        func start(_ clock: SteppedClock) {
            observations.poll(tank, \.level, every: .seconds(1), clock: clock) { plant, level in
                plant.assumeIsolated { $0.log.append("\(level)") }
            } onTermination: { [log] reason in
                log.append("ended: \(reason)")
            }
        }

        func fill() { tank.level += 1 }
    }

    @Test("Rule 40: an actor polls what it owns, in its own isolation")
    func anActorPollsWhatItOwns() async throws {
        let plant = Plant(log)
        await plant.start(clock)
        try await clock.waitForSleepers(1)
        await plant.fill()
        clock.advance(by: .seconds(1))
        try await clock.waitForSleepers(1)
        try log.expect(["0", "1"])
    }

    @Test("Rule 30: a poll does not keep the actor in whose isolation it looks")
    func aPollDoesNotKeepTheActor() async throws {
        var plant: Plant? = Plant(log)
        await plant?.start(clock)
        try await clock.waitForSleepers(1)
        weak let gone = plant
        plant = nil
        await until { gone == nil }
        try log.expect(["0", "ended: observerDeinitialized"])
        #expect(clock.sleeperCount == 0)
    }

    final class Gauge: Sendable {
        private let value = Atomic(0)
        var level: Int {
            get { value.load(ordering: .relaxed) }
            set { value.store(newValue, ordering: .relaxed) }
        }
    }

    final class Recorder: Sendable {
        let log: EventLog<String>
        init(_ log: EventLog<String>) { self.log = log }
    }

    @Test("What may be read anywhere is polled from anywhere, and told on no thread in particular")
    func whatMayBeReadAnywhereIsPolledFromAnywhere() async throws {
        let (gauge, recorder) = (Gauge(), Recorder(log))
        let observations = ObservationController(observer: recorder)
        observations.poll(
            gauge, \.level, every: .seconds(1), clock: clock,
            on: .anyThread { recorder, level in recorder.log.append("\(level)")
            })
        observations.poll(
            gauge, \.level, every: .seconds(1), clock: clock, initial: false, tag: "new values",
            on: .anyThread { recorder, level in recorder.log.append("new \(level)") })
        try await clock.waitForSleepers(1)
        #expect(clock.sleeperCount == 1)
        gauge.level = 1
        clock.advance(by: .seconds(1))
        try await clock.waitForSleepers(1)
        try log.expect(["0", "1", "new 1"])
        #expect(observations.unobserveAll() == 2)
        #expect(clock.sleeperCount == 0)
        withExtendedLifetime(recorder) {}
    }

    @Test("On any thread calls follow each other, also when somebody begins to poll during one")
    func callsOnAnyThreadFollowEachOther() async throws {
        let (gauge, recorder, isInside, isLetOut) = (Gauge(), Recorder(log), Flag(), Flag())
        let observations = SharedObservationController(observer: recorder)
        observations.poll(
            gauge, \.level, every: .seconds(1), clock: clock, initial: false,
            on: .anyThread { recorder, level in
                recorder.log.append("begin \(level)")
                isInside.set()
                if level == 1 { isLetOut.wait() }
                recorder.log.append("end \(level)")
            })
        try await clock.waitForSleepers(1)
        gauge.level = 1
        clock.advance(by: .seconds(1))
        await until { isInside.isSet }
        gauge.level = 2
        await Threads.run { [clock] in
            observations.poll(
                gauge, \.level, every: .seconds(1), clock: clock, initial: false, tag: "other", on: .anyThread { _, _ in })
        }
        isLetOut.set()
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await clock.waitForSleepers(1)
        try log.expect(["begin 1", "end 1", "begin 2", "end 2"])
        withExtendedLifetime(recorder) {}
    }

    @Test("Rule 36: who begins to poll while another ends it hears the next change")
    func whoBeginsWhileAnotherEndsHearsTheNextChange() async throws {
        let (gauge, recorder) = (Gauge(), Recorder(log))
        let (first, second) = (SharedObservationController(observer: recorder), SharedObservationController(observer: recorder))
        for turn in 1...500 {
            first.poll(gauge, \.level, every: .seconds(1), clock: clock, on: .anyThread { _, _ in })
            async let end: Void = Threads.run { _ = first.unobserveAll() }
            second.poll(
                gauge, \.level, every: .seconds(1), clock: clock, initial: false,
                on: .anyThread { recorder, level in recorder.log.append("\(level)") })
            await end
            gauge.level = turn
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            try await clock.waitForSleepers(1)
            second.unobserveAll()
            try #require(log.removeAll() == ["\(turn)"])
        }
        withExtendedLifetime(recorder) {}
    }

    @Test("Rule 36: polls may be begun and ended on threads, while others look")
    func pollsMayComeAndGoOnThreads() async throws {
        let (gauge, recorder) = (Gauge(), Recorder(log))
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    let observations = ObservationController(observer: recorder)
                    for turn in 0..<200 {
                        let result = observations.poll(gauge, \.level, every: .milliseconds(1), on: .anyThread { _, _ in })
                        #expect(result == .added)
                        gauge.level = turn
                        await Task.yield()
                        let count = observations.unobserve(gauge, \.level)
                        #expect(count == 1)
                    }
                }
            }
        }
        withExtendedLifetime((recorder, gauge)) {}
    }

    @Test("A dead object's polls are not taken for those of another at its address")
    func anAddressMayBeUsedAgain() {
        let recorder = Recorder(log)
        let observations = ObservationController(observer: recorder, retainsObserved: false)
        for _ in 0..<100 {
            let gauge = Gauge()
            let result = observations.poll(gauge, \.level, every: .seconds(1), clock: clock, on: .anyThread { _, _ in })
            #expect(result == .added)
        }
        let count = observations.observations.count
        #expect(count <= 100)
        observations.unobserveAll()
        #expect(clock.sleeperCount == 0)
        withExtendedLifetime(recorder) {}
    }
}
