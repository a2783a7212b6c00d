import SafeKVO
import SafeKVOTesting
import Synchronization

/// Polls with absurd intervals and clocks.
enum Polls {
    /// A clock that breaks each promise of a clock.
    struct BrokenClock: Clock {
        enum Fault: Sendable { case throwsOnce, throwsAlways, returnsAtOnce, runsBackwards, standsStill }
        struct Lost: Error {}

        let fault: Fault
        let state = State()
        final class State: Sendable {
            let reads = Atomic<Int>(0)
            let sleeps = Atomic<Int>(0)
        }

        var now: ContinuousClock.Instant {
            let reads = state.reads.wrappingAdd(1, ordering: .relaxed).newValue
            let now = ContinuousClock.now
            return fault == .runsBackwards ? now.advanced(by: .seconds(-reads * 1_000_000)) : now
        }

        var minimumResolution: Duration { fault == .standsStill ? .seconds(Int64.max) : .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            let sleeps = state.sleeps.wrappingAdd(1, ordering: .relaxed).newValue
            if fault == .throwsAlways || fault == .throwsOnce && sleeps == 2 { throw Lost() }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    static let intervals: [(String, Duration)] = [
        ("the longest", .seconds(Int64.max)), ("nearly the longest", .seconds(9_000_000_000_000_000_000)),
        ("a hundred years", .seconds(3_000_000_000)), ("the shortest", Duration(secondsComponent: 0, attosecondsComponent: 1)),
        ("the longest with attoseconds", Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)),
    ]

    static let mistakes = Mistakes(
        "polls with absurd intervals and clocks",
        intervals.map { name, interval in
            Mistake("an interval: \(name)") { try await poll(every: interval, clock: ContinuousClock()) }
        }
            + intervals.map { name, interval in
                Mistake("an interval of a stepped clock: \(name)") {
                    let clock = SteppedClock()
                    try await poll(every: interval, clock: clock)
                    clock.advance(by: .seconds(1_000_000))
                    try await pause()
                }
            }
            + [BrokenClock.Fault.throwsOnce, .throwsAlways, .returnsAtOnce, .runsBackwards, .standsStill].map { fault in
                Mistake("a clock that is broken: \(fault)") { try await poll(every: .milliseconds(1), clock: BrokenClock(fault: fault)) }
            } + [
                Mistake("an interval that is not positive is refused") {
                    let (whole, all) = (Whole(), Controllers())
                    for interval in [Duration.zero, .seconds(-1), .seconds(Int64.min)] {
                        let result = all.ofWatcher.poll(whole, \.plain, every: interval, on: .anyThread { _, _ in })
                        try check(result == .refused(.intervalNotPositive), "\(interval): \(result)")
                    }
                    withExtendedLifetime(all) {}
                },
                Mistake("a clock that throws once deafens nobody, or ends the observations") { try await throwingOnce() },
                Mistake("a handler that polls, changes what is polled and removes it") { try await nested() },
                Mistake("a stepped clock beyond the end of time") {
                    let clock = SteppedClock()
                    for count in [0, -1, Int.min] { try await clock.waitForSleepers(count) }
                    try await clock.sleep(until: .init(sinceStart: .zero), tolerance: .seconds(-1))
                    try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)))
                    _ = (clock.now, clock.minimumResolution, clock.sleeperCount, clock.now.duration(to: clock.now), clock.now < clock.now)
                    _ = (SteppedClock.Instant(sinceStart: .seconds(Int64.min)).description, clock.now.description)
                },
            ])

    static let fatal = [
        FatalMistake("a stepped clock that is turned back", says: "SteppedClock.advance(by:)") { SteppedClock().advance(by: .seconds(-1)) },
        FatalMistake("a stepped clock that is turned beyond the end of time", says: "SteppedClock.advance(by:)") {
            let clock = SteppedClock()
            for _ in 0..<30 { clock.advance(by: Duration(secondsComponent: .max, attosecondsComponent: 0)) }
        },
    ]

    private static func pause() async throws { try await Task.sleep(for: .milliseconds(5)) }

    @MainActor
    private static func poll<PollClock: Clock<Duration>>(every interval: Duration, clock: PollClock) async throws {
        let (whole, all) = (Whole(), Controllers())
        all.ofWatcher.poll(whole, \.plain, every: interval, clock: clock) { watcher, _ in watcher.call() }
        all.ofWatcher.poll(whole, \.plain, every: interval, clock: clock, initial: false, tag: "a") { watcher, _ in watcher.call() }
        all.ofWatcher.poll(whole, \.items, every: interval, clock: clock, removing: .duplicates { _, _ in false }) { watcher, _ in
            watcher.call()
        }
        all.ofWatcher.poll(whole, \.shared, every: interval, clock: clock, on: .anyThread { watcher, _ in watcher.call() })
        whole.plain = 1
        try await pause()
        all.ofWatcher.unobserve(whole, \.plain)
        all.unobserveAll()
        try await pause()
    }

    @MainActor
    private static func throwingOnce() async throws {
        let (whole, all) = (Whole(), Controllers())
        let clock = BrokenClock(fault: .throwsOnce)
        let end = Ended()
        all.ofWatcher.poll(
            whole, \.plain, every: .milliseconds(1), clock: clock, handler: { watcher, _ in watcher.call() },
            onTermination: { _ in end.note() })
        while clock.state.sleeps.load(ordering: .relaxed) < 2 { try await pause() }
        whole.plain = 1
        for _ in 0..<2000 where !end.isNoted && all.calls < 2 { try await pause() }
        try check(end.isNoted || all.calls == 2, "the poll is deaf, and nobody was told")
    }

    private final class Ended: Sendable {
        private let flag = Atomic<Bool>(false)
        func note() { flag.store(true, ordering: .relaxed) }
        var isNoted: Bool { flag.load(ordering: .relaxed) }
    }

    @MainActor
    private static func nested() async throws {
        let (whole, all, clock) = (Whole(), Controllers(), SteppedClock())
        all.ofWatcher.poll(whole, \.plain, every: .seconds(1), clock: clock) { watcher, number in
            watcher.call()
            if number < 3 { whole.plain = number + 1 }
            all.ofWatcher.poll(whole, \.plain, every: .seconds(1), clock: clock, tag: "inner") { watcher, _ in watcher.call() }
            if number == 3 { all.ofWatcher.unobserve(whole) }
        }
        for _ in 0..<6 {
            if clock.sleeperCount == 0, all.ofWatcher.observations.isEmpty { break }
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            try await pause()
        }
    }
}
