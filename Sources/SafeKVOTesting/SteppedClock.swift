internal import SafeKVO

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = SteppedClock()
/// let task = Task { try await clock.sleep(for: .seconds(5)) }
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(5))
/// try await task.value
/// ```
///
/// Hand it to whatever takes a clock: no test then waits for real time, and none depends on how fast the machine is.
///
/// ## Order
///
/// ``advance(by:)`` wakes sleepers by their deadlines, and those of one deadline in the order in which they went to sleep. To wake a sleeper
/// is to let its task go on; the executor decides when it does, which may be after `advance` has returned. A task that sleeps again is a new
/// sleeper: wait for it with ``waitForSleepers(_:)``, then advance again. One step over several periods of a task wakes it once.
///
/// ## Lifetime
///
/// A sleeping task keeps the clock. A clock that is never advanced keeps its sleepers asleep until their tasks are cancelled.
///
/// ## Threads
///
/// Everything here may be called from any thread. No lock is held when a task is woken.
public final class SteppedClock: Clock, Sendable {
    /// A point in the time of a stepped clock.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// How far the clock had been advanced, or must be, since it was made.
        public let sinceStart: Duration

        /// Makes the point in time that is reached when the clock has been advanced by so much.
        public init(sinceStart: Duration) {
            self.sinceStart = sinceStart
        }

        /// The point in time that comes so much later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        /// How much later the other point in time is.
        public func duration(to other: Instant) -> Duration {
            other.sinceStart - sinceStart
        }

        /// Whether the one point in time comes before the other.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.sinceStart < right.sinceStart
        }

        /// The time since the clock was made.
        public var description: String { "\(sinceStart) since start" }
    }

    private struct Sleeper: Sendable {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher: Sendable {
        let id: UInt64
        let count: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now = Instant(sinceStart: .zero)
        var lastID: UInt64 = 0
        /// By deadline, then by arrival.
        var sleepers: [Sleeper] = []
        /// Those who wait until so many sleep.
        var watchers: [Watcher] = []

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }

        mutating func insert(_ sleeper: Sleeper) {
            let place = sleepers.firstIndex { sleeper.deadline < $0.deadline } ?? sleepers.endIndex
            sleepers.insert(sleeper, at: place)
        }

        /// Takes out the sleepers whose time has come.
        mutating func takeDue() -> [Sleeper] {
            let due = sleepers.prefix { $0.deadline <= now }
            sleepers.removeFirst(due.count)
            return Array(due)
        }

        /// Takes out the watchers who have waited for this many.
        mutating func takeSatisfied() -> [Watcher] {
            let satisfied = watchers.filter { $0.count <= sleepers.count }
            watchers.removeAll { $0.count <= sleepers.count }
            return satisfied
        }
    }

    private let state = Guarded(State())

    /// Makes a clock that stands at its start.
    public init() {}

    /// The present time of this clock.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step: none is too small.
    public var minimumResolution: Duration { .zero }

    /// How many tasks sleep on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves the clock and wakes the sleepers whose time has come, in the order of their deadlines.
    ///
    /// It does not wait for what they do then. Advancing by zero wakes nobody.
    ///
    /// - Parameter duration: How far. It must not be negative.
    /// - Complexity: O(*n*) for *n* sleepers.
    public func advance(by duration: Duration) {
        Mistake.check(duration >= .zero, "SteppedClock.advance(by:) cannot go back by \(duration). Pass zero or a positive duration.")
        let due: [Sleeper]? = state.withLock { state in
            let (seconds, isTooFar) = state.now.sinceStart.components.seconds.addingReportingOverflow(duration.components.seconds)
            if isTooFar || seconds == .max { return nil }
            state.now = state.now.advanced(by: duration)
            return state.takeDue()
        }
        guard let due else {
            Mistake.stop("SteppedClock.advance(by:) cannot go on by \(duration), beyond the last instant. Pass a shorter duration.")
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sleeps until the clock has been advanced to a deadline.
    ///
    /// If the deadline is not in the future, it returns at once.
    ///
    /// - Parameters:
    ///   - deadline: When to wake.
    ///   - tolerance: Not used: the clock stands at a deadline or it does not.
    /// - Throws: a `CancellationError`, as soon as the task is cancelled, also if it was before.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { $0.nextID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                fallAsleep(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancelSleeper(id)
        }
    }

    /// Waits until at least so many tasks sleep on this clock.
    ///
    /// - Parameter count: How many.
    /// - Throws: a `CancellationError`, as soon as the waiting task is cancelled.
    public func waitForSleepers(_ count: Int) async throws {
        let id = state.withLock { $0.nextID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                watch(Watcher(id: id, count: count, continuation: continuation))
            }
        } onCancel: {
            cancelWatcher(id)
        }
    }

    // MARK: What happens to a waiting task

    // A task is marked as cancelled before its handler runs, and the handler takes the lock. So either the mark is seen under the lock
    // here, or the handler comes later and finds the entry.

    private enum Start {
        case waits
        case isOver
        case isCancelled
    }

    private func fallAsleep(_ sleeper: Sleeper) {
        let (start, satisfied): (Start, [Watcher]) = state.withLock { state in
            if Task.isCancelled { return (.isCancelled, []) }
            if sleeper.deadline <= state.now { return (.isOver, []) }
            state.insert(sleeper)
            return (.waits, state.takeSatisfied())
        }
        go(on: sleeper.continuation, start)
        for watcher in satisfied { watcher.continuation.resume() }
    }

    private func watch(_ watcher: Watcher) {
        let start: Start = state.withLock { state in
            if Task.isCancelled { return .isCancelled }
            if state.sleepers.count >= watcher.count { return .isOver }
            state.watchers.append(watcher)
            return .waits
        }
        go(on: watcher.continuation, start)
    }

    private func go(on continuation: CheckedContinuation<Void, any Error>, _ start: Start) {
        switch start {
        case .waits: break
        case .isOver: continuation.resume()
        case .isCancelled: continuation.resume(throwing: CancellationError())
        }
    }

    private func cancelSleeper(_ id: UInt64) {
        let cancelled = state.withLock { state in
            state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
        }
        cancelled?.continuation.resume(throwing: CancellationError())
    }

    private func cancelWatcher(_ id: UInt64) {
        let cancelled = state.withLock { state in
            state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
        }
        cancelled?.continuation.resume(throwing: CancellationError())
    }
}
