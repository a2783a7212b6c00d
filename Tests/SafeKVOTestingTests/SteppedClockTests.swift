import SafeKVOTesting
import Testing

@Suite struct SteppedClockTests {
    typealias Instant = SteppedClock.Instant

    let clock = SteppedClock()

    @Test func theClockStandsStillUntilItIsAdvanced() {
        #expect(clock.now == Instant(sinceStart: .zero))
        #expect(clock.minimumResolution == .zero)
        clock.advance(by: .seconds(2))
        clock.advance(by: .zero)
        clock.advance(by: .milliseconds(500))
        #expect(clock.now == Instant(sinceStart: .milliseconds(2500)))
    }

    @Test func instantsAreAPlaceOnALineOfDurations() {
        let start = Instant(sinceStart: .seconds(1))
        let end = start.advanced(by: .seconds(3))
        #expect(end.sinceStart == .seconds(4))
        #expect(start.duration(to: end) == .seconds(3))
        #expect(end.duration(to: start) == .seconds(-3))
        #expect(start < end)
        #expect(!(end < start))
        #expect("\(start)" == "1.0 seconds since start")
    }

    @Test func aDeadlineThatIsNotInTheFutureReturnsAtOnce() async throws {
        try await clock.sleep(until: clock.now)
        clock.advance(by: .seconds(2))
        try await clock.sleep(until: Instant(sinceStart: .seconds(1)))
        #expect(clock.sleeperCount == 0)
    }

    @Test func aSleeperSleepsUntilItsDeadlineAndNoLonger() async throws {
        let task = Task { try await clock.sleep(for: .seconds(5)) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(4999))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        #expect(clock.sleeperCount == 0)
        try await task.value
    }

    /// They are woken by deadline and then by arrival; in which order their tasks go on is for the runtime to say.
    @Test @MainActor func sleepersWhoseDeadlineHasPassedAreWoken() async throws {
        let log = EventLog<String>()
        var tasks: [Task<Void, any Error>] = []
        for (index, (name, seconds)) in [("late", 3), ("early", 1), ("middle", 2), ("early too", 1), ("not yet", 9)].enumerated() {
            tasks.append(
                Task {
                    try await clock.sleep(for: .seconds(seconds))
                    log.append(name)
                })
            try await clock.waitForSleepers(index + 1)
        }
        clock.advance(by: .seconds(4))
        for task in tasks.dropLast() { try await task.value }
        #expect(Set(log.removeAll()) == ["early", "early too", "middle", "late"])
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(5))
        for task in tasks { try await task.value }
        try log.expect(["not yet"])
    }

    @Test func aTaskThatSleepsAgainIsWokenOnceAStep() async throws {
        let log = EventLog<Instant>()
        let task = Task {
            while true {
                try await clock.sleep(for: .seconds(1))
                log.append(clock.now)
            }
        }
        for _ in 1...3 {
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
        }
        try await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try log.expect([1, 2, 3].map { Instant(sinceStart: .seconds($0)) })
    }

    @Test func aCancelledSleeperWakesWithAnErrorAndTheOthersSleepOn() async throws {
        let cancelled = Task { try await clock.sleep(for: .seconds(5)) }
        let other = Task { try await clock.sleep(for: .seconds(5)) }
        try await clock.waitForSleepers(2)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(5))
        try await other.value
    }

    @Test func aTaskThatWasCancelledBeforeDoesNotSleep() async {
        let task = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            try await clock.sleep(for: .seconds(5))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func waitingForSleepersEndsWhenThereAreEnough() async throws {
        let waits = Task { try await clock.waitForSleepers(2) }
        let sleepers = [1, 2].map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        try await waits.value
        #expect(clock.sleeperCount == 2)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        for sleeper in sleepers { try await sleeper.value }
        try await clock.waitForSleepers(0)
    }

    @Test func waitingForSleepersEndsWhenItsTaskIsCancelled() async {
        let waits = Task { try await clock.waitForSleepers(1) }
        waits.cancel()
        await #expect(throws: CancellationError.self) { try await waits.value }
    }

    @Test func itIsAClockLikeAnyOther() async throws {
        func rest(on clock: some Clock<Duration>) async throws {
            try await Task.sleep(for: .seconds(1), clock: clock)
        }
        let clock = clock
        let task = Task { try await rest(on: clock) }
        try await clock.waitForSleepers(1)
        let elapsed = clock.measure { clock.advance(by: .seconds(1)) }
        #expect(elapsed == .seconds(1))
        try await task.value
    }

    @Test func timeCannotBeTurnedBack() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            SteppedClock().advance(by: .seconds(-1))
        }
        #if DEBUG  // Optimized code traps without a word.
            let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(message.contains("SteppedClock.advance(by:) cannot go back by -"))
        #else
            #expect(result != nil)
        #endif
    }
}
