import Observation
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

@testable import SafeKVO

/// How many of a thousand writes are seen, in which setting: of an `@Observable` object, and beside it of an `@Observed` property.
@Suite @MainActor struct ObservedWritesTests {
    @Observable final class Model {
        var count = 0
    }

    final class Twin: KeyValueObject {
        @Observed var count = 0
    }

    /// An object that may be used anywhere.
    final class Shared: Observable, Sendable {
        private let registrar = Observation.ObservationRegistrar()
        private let value = Atomic(0)

        var count: Int {
            get {
                registrar.access(self, keyPath: \.count)
                return value.load(ordering: .acquiring)
            }
            set {
                registrar.withMutation(of: self, keyPath: \.count) { value.store(newValue, ordering: .releasing) }
            }
        }
    }

    /// What was seen.
    final class Counts: Sendable {
        private let log = EventLog<Int>()
        var values: [Int] { log.events }
        func append(_ value: Int) { log.append(value) }
    }

    nonisolated static let writes = 1000
    let seen = Counts()
    let seenOfTwin = Counts()
    let model = Model()
    let twin = Twin()
    let shared = Shared()

    private func observe(_ observations: ObservationController<Counts>) {
        observations.observe(model, \.count, options: .new) { seen, _, change in seen.append(change.newValue ?? -1) }
    }

    /// Lets the main actor come to the end of what it is doing, until the last value that another thread has written was seen.
    ///
    /// It is announced once more: if the other thread was held up between the announcement and the change, nothing says that it has been made,
    /// unless Swift reports that.
    private func seeTheLast() async {
        await until {
            if !isReportedAfter { shared.count = Self.writes }
            return seen.values.last == Self.writes
        }
    }

    /// Lets the main actor come to the end of what it is doing, until a value was seen.
    private func see(_ value: Int, in counts: Counts) async {
        await until { counts.values.last == value }
    }

    private func observeTwin() -> ObservationController<Counts> {
        let observations = ObservationController(observer: seenOfTwin)
        observations.observe(twin, \.count, options: .new) { seen, _, change in seen.append(change.newValue ?? -1) }
        return observations
    }

    @Test("1000 of 1000: writes on the actor, one after the other")
    func writesOnTheActorAreSeen() async {
        let (observations, twins) = (ObservationController(observer: seen), observeTwin())
        observe(observations)
        for count in 1...Self.writes {
            model.count = count
            twin.count = count
        }
        #expect(seen.values.count == (isReportedAfter ? Self.writes : Self.writes - 1))
        await see(Self.writes, in: seen)
        #expect(seen.values == Array(1...Self.writes))
        #expect(seenOfTwin.values == Array(1...Self.writes))
        withExtendedLifetime(twins) {}
    }

    @Test("1000 of 1000: writes on the actor that gives way to others in between")
    func writesInTurnsAreSeen() async {
        let observations = ObservationController(observer: seen)
        observe(observations)
        for count in 1...Self.writes {
            model.count = count
            if count.isMultiple(of: 3) { await Task.yield() }
        }
        await see(Self.writes, in: seen)
        #expect(seen.values == Array(1...Self.writes))
    }

    @Test("1 of 1000: writes of a value that is there already; of an @Observed property, 1000")
    func equalWritesAreNot() async {
        let (observations, twins) = (ObservationController(observer: seen), observeTwin())
        observe(observations)
        for _ in 1...Self.writes {
            model.count = 1
            twin.count = 1
        }
        await see(1, in: seen)
        #expect(seen.values == [1])
        #expect(seenOfTwin.values.count == Self.writes)
        withExtendedLifetime(twins) {}
    }

    @Test("1 of 1000: writes in a batch, of either kind")
    func writesInABatchAreOne() async {
        let (observations, twins) = (ObservationController(observer: seen), observeTwin())
        observe(observations)
        withBatchedChanges {
            for count in 1...Self.writes {
                model.count = count
                twin.count = count
            }
        }
        await see(Self.writes, in: seen)
        #expect(seen.values == [Self.writes])
        #expect(seenOfTwin.values == [Self.writes])
        withExtendedLifetime(twins) {}
    }

    @Test("1 of 1000: writes on the actor, seen by Swift's tracking alone, which is armed again by a hop")
    func trackingAloneSeesOne() async {
        track()
        for count in 1...Self.writes { model.count = count }
        await see(Self.writes, in: seen)
        #expect(seen.values == [0, Self.writes])
    }

    private func track() {
        let value = withObservationTracking {
            model.count
        } onChange: {
            Task { @MainActor in track() }
        }
        seen.append(value)
    }

    @Test("Some of 1000: writes on another thread, told on the main actor, the last at the latest with the next announcement")
    func someWritesOfAnotherThreadAreSeen() async {
        let observations = ObservationController(observer: seen)
        observations.observe(shared, \.count, options: [.old, .new]) { seen, _, change in seen.append(change.newValue ?? -1) }
        await Task.detached { [shared] in
            for count in 1...Self.writes { shared.count = count }
        }.value
        await seeTheLast()
        #expect(seen.values.last == Self.writes)
        #expect(seen.values == seen.values.sorted())
    }

    @Test("Some of 1000: writes on another thread, told on any, the last at the latest with the next announcement")
    func someWritesAreSeenOnAnyThread() async {
        let observations = ObservationController(observer: seen)
        observations.observe(
            shared, \.count, options: [.old, .new], on: .anyThread { seen, _, change in seen.append(change.newValue ?? -1) })
        await Task.detached { [shared] in
            for count in 1...Self.writes { shared.count = count }
        }.value
        await seeTheLast()
        #expect(seen.values.last == Self.writes)
        #expect(seen.values == seen.values.sorted())
    }
}
