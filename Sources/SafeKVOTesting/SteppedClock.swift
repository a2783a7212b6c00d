internal import SafeKVO

/// A clock whose time changes only when a test advances it.
///
/// ```swift
/// let clock = SteppedClock()
/// let task = Task { try await clock.sleep(for: .seconds(5)) }
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(5))
/// try await task.value
/// ```
///
/// Pass it to any function that takes a clock. Then a test does not wait for real time, and its result does not depend on the
/// speed of the machine.
///
/// ## Order
///
/// ``advance(by:)`` wakes sleeping tasks in the order of their deadlines. Tasks with the same deadline wake in the order in which
/// they went to sleep. A woken task may run only after `advance` has returned.
///
/// A task that sleeps again counts as a new sleeper. Wait for it with ``waitForSleepers(_:)`` before you advance the clock again.
/// If a task sleeps repeatedly, one long step of the clock wakes it only once.
///
/// ## Lifetime
///
/// A sleeping task retains the clock. It sleeps until the clock reaches its deadline or the task is cancelled.
///
/// ## Threads
///
/// All functions may be called from any thread. No lock is held while a task is woken.
public final class SteppedClock: Clock, Sendable {
    /// An instant of a stepped clock, measured from the start of the clock.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// The time between the start of the clock and this instant.
        public let sinceStart: Duration

        /// Makes the instant at a given time after the start of the clock.
        public init(sinceStart: Duration) {
            self.sinceStart = sinceStart
        }

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        /// Returns the duration from this instant to another one.
        public func duration(to other: Instant) -> Duration {
            other.sinceStart - sinceStart
        }

        /// Returns `true` if the first instant is before the second one.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.sinceStart < right.sinceStart
        }

        /// A text with the time since the start of the clock.
        public var description: String { "\(sinceStart) since start" }
    }

    private struct Waiter<Goal: Sendable>: Sendable {
        let id: UInt64
        let goal: Goal
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now = Instant(sinceStart: .zero)
        var lastID: UInt64 = 0
        /// The sleeping tasks, sorted by deadline and then by arrival.
        var sleepers: [Waiter<Instant>] = []
        var watchers: [Waiter<Int>] = []

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }

        mutating func takeDue() -> [Waiter<Instant>] {
            let due = sleepers.prefix { $0.goal <= now }
            sleepers.removeFirst(due.count)
            return Array(due)
        }

        mutating func takeSatisfied() -> [Waiter<Int>] {
            let satisfied = watchers.filter { $0.goal <= sleepers.count }
            watchers.removeAll { $0.goal <= sleepers.count }
            return satisfied
        }
    }

    private let state = Guarded(State())

    /// Makes a clock whose time is zero.
    public init() {}

    /// The present time of this clock.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step of the clock, which is zero.
    ///
    /// A step may have any size.
    public var minimumResolution: Duration { .zero }

    /// The number of tasks that sleep on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances the clock and wakes the tasks whose deadline has passed, in the order of their deadlines.
    ///
    /// The function does not wait until the tasks run. An advance by zero wakes no task. The program stops if the duration is
    /// negative or the time would become too large.
    ///
    /// - Parameter duration: The time by which the clock advances. It must not be negative.
    /// - Complexity: O(*n*) for *n* sleeping tasks.
    public func advance(by duration: Duration) {
        FatalMistake.check(duration >= .zero, "SteppedClock.advance(by:) cannot go back by \(duration). Pass zero or a positive duration.")
        let due: [Waiter<Instant>]? = state.withLock { state in
            let (seconds, isTooFar) = state.now.sinceStart.components.seconds.addingReportingOverflow(duration.components.seconds)
            if isTooFar || seconds == .max { return nil }
            state.now = state.now.advanced(by: duration)
            return state.takeDue()
        }
        guard let due else {
            FatalMistake.stop("SteppedClock.advance(by:) cannot go on by \(duration), beyond the last instant. Pass a shorter duration.")
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sleeps until the clock reaches a deadline.
    ///
    /// If the deadline is not in the future, the function returns at once. `tolerance` is ignored.
    ///
    /// - Throws: A `CancellationError` as soon as the task is cancelled, or at once if it was cancelled before.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await wait(for: deadline, in: \.sleepers) { state in
            deadline <= state.now ? nil : state.sleepers.firstIndex { deadline < $0.goal } ?? state.sleepers.endIndex
        }
    }

    /// Waits until at least a given number of tasks sleep on this clock.
    ///
    /// - Throws: A `CancellationError` as soon as the waiting task is cancelled.
    public func waitForSleepers(_ count: Int) async throws {
        try await wait(for: count, in: \.watchers) { $0.sleepers.count >= count ? nil : $0.watchers.endIndex }
    }

    /// Adds this task to a list of waiting tasks, and waits until the clock resumes it or it is cancelled.
    ///
    /// `place` returns the task's index in the list, or `nil` if the task need not wait for `goal`.
    private func wait<Goal: Sendable>(
        for goal: Goal, in list: any WritableKeyPath<State, [Waiter<Goal>]> & Sendable, place: (State) -> Int?
    ) async throws {
        let id = state.withLock { $0.nextID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The check and the insertion below share one lock. If the task is cancelled after the check, `onCancel` waits for the
                // lock, and then finds the inserted waiter.
                let (outcome, satisfied): (Result<Void, any Error>?, [Waiter<Int>]) = state.withLock { state in
                    if Task.isCancelled { return (.failure(CancellationError()), []) }
                    guard let place = place(state) else { return (.success(()), []) }
                    state[keyPath: list].insert(Waiter(id: id, goal: goal, continuation: continuation), at: place)
                    return (nil, state.takeSatisfied())
                }
                if let outcome { continuation.resume(with: outcome) }
                for watcher in satisfied { watcher.continuation.resume() }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                state[keyPath: list].firstIndex { $0.id == id }.map { state[keyPath: list].remove(at: $0) }
            }
            cancelled?.continuation.resume(throwing: CancellationError())
        }
    }
}
