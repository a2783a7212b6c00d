import Observation
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

@testable import SafeKVO

/// Objects of Swift's own `@Observable`, elsewhere than on the main actor.
@Suite struct ObservableIsolationTests {
    let log = EventLog<String>()

    @Observable final class Tank {
        var level = 0
    }

    actor Plant {
        private let tank = Tank()
        private let log: EventLog<String>
        private lazy var observations = ObservationController(observer: self)

        init(_ log: EventLog<String>) { self.log = log }

        func start() {
            observations.observe(tank, \.level) { plant, level in
                plant.assumeIsolated { $0.log.append("\(level)") }
            } onTermination: { [log] reason in
                log.append("ended: \(reason)")
            }
        }

        func fill(_ times: Int) {
            for _ in 0..<times { tank.level += 1 }
        }
    }

    private func hear(_ count: Int) async {
        await until { log.events.count >= count }
    }

    @Test("Rule 40: an actor observes an @Observable object that it owns, in its own isolation")
    func anActorObservesWhatItOwns() async throws {
        let plant = Plant(log)
        await plant.start()
        await plant.fill(3)
        await hear(4)
        try log.expect(["0", "1", "2", "3"])
    }

    @Test("Rule 30: neither Swift's tracking nor a change on its way keeps the actor in whose isolation it is told")
    func theActorIsNotKept() async throws {
        var plant: Plant? = Plant(log)
        await plant?.start()
        await plant?.fill(1)
        weak let gone = plant
        plant = nil
        await until { gone == nil }
        #expect(gone == nil)
        await hear(2)
        let history = log.removeAll()
        #expect(history == ["0", "ended: observerDeinitialized"] || history == ["0", "1", "ended: observerDeinitialized"])
    }

    /// An object that may be used anywhere, and takes its time.
    final class Slow: Observable, Sendable {
        private let registrar = Observation.ObservationRegistrar()
        private let value = Mutex(0)

        var level: Int {
            registrar.access(self, keyPath: \.level)
            return value.withLock { $0 }
        }

        /// Changes the level, and does something between saying so and doing it.
        func setLevel(_ level: Int, while delay: () async -> Void) async {
            registrar.willSet(self, keyPath: \.level)
            await delay()
            value.withLock { $0 = level }
            registrar.didSet(self, keyPath: \.level)
        }
    }

    final class Recorder: Sendable {
        let log: EventLog<String>
        init(_ log: EventLog<String>) { self.log = log }
    }

    @Test("Rule 36a: a change that is made after its announcement was heeded is told with the next one, or when Swift reports it")
    func aLateChangeIsToldWithTheNext() async throws {
        let (slow, recorder) = (Slow(), Recorder(log))
        let observations = ObservationController(observer: recorder)
        observations.observe(
            slow, \.level, options: [.initial, .new],
            on: .anyThread { recorder, _, change in
                recorder.log.append("\(change.newValue ?? -1)")
            })
        if isReportedAfter {
            await slow.setLevel(1) {}
            await hear(2)
            try log.expect(["0", "1"])
            return withExtendedLifetime(recorder) {}
        }
        // It is read between the announcement and the change.
        await slow.setLevel(1) { await hear(2) }
        try log.expect(["0", "0"])
        await slow.setLevel(2) { await hear(1) }
        try log.expect(["1"])
        withExtendedLifetime(recorder) {}
    }

    @Test("Rule 36: observing and ending it on threads, while others change the object")
    func observersMayComeAndGoOnThreads() async throws {
        let shared = ObservedWritesTests.Shared()
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    let recorder = ObservedWritesTests.Counts()
                    let observations = ObservationController(observer: recorder, retainsObserved: task.isMultiple(of: 2))
                    for turn in 0..<200 {
                        let result = observations.observe(shared, \.count, on: .anyThread { counts, count in counts.append(count) })
                        #expect(result == .added)
                        shared.count = turn
                        if turn.isMultiple(of: 10) { await Task.yield() }
                        let count = observations.unobserve(shared, \.count)
                        #expect(count == 1)
                    }
                }
            }
        }
    }

    @Test("Rule 38: who begins to observe on any thread beside a writer hears the last value, and is not told that there is none")
    func theLastValueIsHeardByWhoBeganBesideAWriter() async throws {
        Warnings.listen()
        let start: UInt = #line
        for _ in 0..<100 {
            let (shared, recorder) = (ObservedWritesTests.Shared(), ObservedWritesTests.Counts())
            let observations = ObservationController(observer: recorder)
            let isObserving = Flag()
            async let writing: Void = Threads.run {
                var count = 0
                while !isObserving.isSet {
                    count += 1
                    shared.count = count
                }
            }
            await until { shared.count > 0 }
            observations.observe(shared, \.count, on: .anyThread { counts, count in counts.append(count) })
            isObserving.set()
            await writing
            // Announced again: if the thread was held up between the announcement and the change, nothing says that it has been made.
            await until {
                shared.count = -1
                return recorder.values.last == -1
            }
            try #require(recorder.values.last == -1)
        }
        #expect(Warnings.about(start...#line).isEmpty)
    }

    @Test("A call before the change cannot be asked for on any thread")
    func priorCallsAreRefused() {
        Warnings.listen()
        let observations = ObservationController(observer: Recorder(log))
        let recorder = Recorder(log)
        let living = ObservationController(observer: recorder)
        let start: UInt = #line
        let result = living.observe(Slow(), \.level, options: .prior, on: .anyThread { _, _, _ in })
        #expect(Warnings.about(start...#line) == ["refusedRegistration 1"])
        #expect(result == .refused(.priorCallElsewhere))
        #expect(observations.observe(Slow(), \.level, on: .anyThread { _, _ in }) == .refused(.observerDeinitialized))
        withExtendedLifetime(recorder) {}
    }

    @Observable @MainActor final class Counter {
        var count = 0
        var label: String { "\(count)" }
    }

    @Test("A sequence has the values of an @Observable object in order, and ends with the observation")
    @MainActor func aSequenceHasTheValues() async throws {
        final class Reader {}
        let (counter, reader) = (Counter(), Reader())
        let observations = ObservationController(observer: reader)
        let labels = observations.values(of: counter, \.label)
        var later = observations.values(of: counter, \.count, initial: false, removing: .duplicates(by: { $0 / 2 == $1 / 2 }))
            .makeAsyncIterator()
        for count in 1...3 { counter.count = count }
        var seen: [String] = []
        for await label in labels {
            seen.append(label)
            if label == "3" { break }
        }
        #expect(seen == ["0", "1", "2", "3"])
        #expect(await later.next() == 1)
        #expect(await later.next() == 2)
        observations.unobserveAll()
        #expect(await later.next() == nil)
        #expect(labels.endReason == .removed)
        withExtendedLifetime(reader) {}
        var none = observations.values(of: nil as Counter?, \.count).makeAsyncIterator()
        #expect(await none.next() == nil)
    }
}
