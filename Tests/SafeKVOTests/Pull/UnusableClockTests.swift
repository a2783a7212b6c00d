import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

@testable import SafeKVO

/// Clocks that fail, and intervals that no clock can wait for.
@Suite @MainActor struct UnusableClockTests {
    struct Lost: Error {}

    /// A clock that may be told to fail.
    final class FailingClock: Clock {
        let base = SteppedClock()
        let fails = Atomic(false)
        let isCancelled = Atomic(false)
        let deadlines = EventLog<SteppedClock.Instant>()

        var now: SteppedClock.Instant { base.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: SteppedClock.Instant, tolerance: Duration?) async throws {
            deadlines.append(deadline)
            try await base.sleep(until: deadline, tolerance: tolerance)
            if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
            if fails.load(ordering: .relaxed) { throw Lost() }
        }
    }

    final class File { var size = 0 }

    final class Viewer { private(set) lazy var observations = ObservationController(observer: self) }

    let clock = FailingClock()
    let file = File()
    let viewer = Viewer()
    let log = EventLog<String>()

    @Test(
        "Rule 50: a clock that fails ends the polls by it, with a reason and a warning; who registers later has a timer",
        arguments: [false, true])
    func aFailingClockEndsThePolls(_ throwsCancellation: Bool) async throws {
        Warnings.listen()
        let (ends, end) = AsyncStream.makeStream(of: ObservationEndReason.self)
        let start: UInt = #line
        viewer.observations.poll(file, \.size, every: .seconds(1), clock: clock) { [log] _, size in
            log.append("\(size)")
        } onTermination: { reason in
            MainActor.assertIsolated()
            end.yield(reason)
        }
        let last: UInt = #line
        try await clock.base.waitForSleepers(1)
        clock.isCancelled.store(throwsCancellation, ordering: .relaxed)
        clock.fails.store(!throwsCancellation, ordering: .relaxed)
        clock.base.advance(by: .seconds(1))
        // Others of the same timer would hang here if nobody ended them.
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() == .clockFailed)
        #expect(viewer.observations.observations.isEmpty)
        // The other case warns of the same line.
        let error = throwsCancellation ? "CancellationError" : "Lost"
        #expect(Warnings.messages(start...last).contains { $0.contains("poll(_:_:every:clock:)") && $0.contains(error) })

        clock.fails.store(false, ordering: .relaxed)
        clock.isCancelled.store(false, ordering: .relaxed)
        try log.expect(["0"])
        viewer.observations.poll(file, \.size, every: .seconds(1), clock: clock) { [log] _, size in log.append("again \(size)") }
        file.size = 3
        try await clock.base.waitForSleepers(1)
        clock.base.advance(by: .seconds(1))
        try await clock.base.waitForSleepers(1)
        try log.expect(["again 0", "again 3"])
        #expect(clock.deadlines.events.count == 3)
    }

    @Test("A clock that throws at once is asked once, not again and again")
    func aClockThatThrowsAtOnceIsAskedOnce() async throws {
        Warnings.listen()
        clock.fails.store(true, ordering: .relaxed)
        clock.base.advance(by: .seconds(5))
        let (ends, end) = AsyncStream.makeStream(of: ObservationEndReason.self)
        viewer.observations.poll(file, \.size, every: .nanoseconds(1), clock: clock) { _, _ in
        } onTermination: {
            end.yield($0)
        }
        try await clock.base.waitForSleepers(1)
        clock.base.advance(by: .seconds(1))
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() == .clockFailed)
        #expect(clock.deadlines.events.count == 1)
    }

    @Test("An interval that is not longer than nothing is refused, with a warning that says what to do")
    func anIntervalMustBePositive() throws {
        Warnings.listen()
        let start: UInt = #line
        for seconds in [0, -1, Int64.min] {
            let result = viewer.observations.poll(file, \.size, every: .seconds(seconds), clock: clock) { _, _ in }
            #expect(result == .refused(.intervalNotPositive))
        }
        #expect(Warnings.about(start...#line) == ["refusedRegistration 2"])
        #expect(try #require(Warnings.messages(start...#line).first).contains("longer than zero"))
        #expect(viewer.observations.observations.isEmpty && clock.base.sleeperCount == 0)
    }

    @Test("An interval longer than a century is taken for a century: no clock's sums overflow", arguments: [3_200_000_000, Int64.max])
    func aLongIntervalIsACentury(_ seconds: Int64) async throws {
        viewer.observations.poll(file, \.size, every: .seconds(seconds), clock: clock) { _, _ in }
        try await clock.base.waitForSleepers(1)
        let deadline = try #require(clock.deadlines.events.first)
        #expect(deadline == clock.now.advanced(by: .seconds(100 * 365 * 86_400)))
        clock.base.advance(by: .seconds(Int64.max / 4))
        try await clock.base.waitForSleepers(1)
        #expect(viewer.observations.unobserveAll() == 1)
    }
}
