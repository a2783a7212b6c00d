internal import CSafeKVO

/// An object that reads a value at an interval while the value is observed, and notifies its observers of changes.
final class Poll<Object: AnyObject, Value, PollClock: Clock>: ValueDriver<Object, Value>, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards every variable. Replaced values and tasks are released without the lock. Values are
    // compared only in the isolation in which they are read, and the timer's task retains the poll only there.

    private let interval: PollClock.Duration
    private let clock: PollClock
    /// `nil` after the end of the only observation if a closure of the program compares the values, because a poll is not shared then.
    private var comparison: RemovingDuplicates<Value>?

    /// The value of the last read; `nil` while the poll has no observers.
    private var last: Value?
    private var timer: Task<Void, Never>?
    private var timerNumber: UInt64 = 0
    private var timerCount: UInt64 = 0
    /// The right to read the value and to notify the observers; whoever comes meanwhile skips its read.
    private var turn = Turn()
    /// `true` while the reading thread notifies observers, whose handlers may cause another read on that thread.
    ///
    /// While it is `false`, a second read on that thread comes from the value's own getter, and is skipped.
    private var isTelling = false

    init(
        _ record: ObservationRecord, _ list: ObserverList, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration,
        clock: PollClock, comparison: RemovingDuplicates<Value>, isolation: HandlerIsolation?
    ) {
        self.interval = interval
        self.clock = clock
        self.comparison = comparison
        super.init(record, list, keyPath, isolation: isolation)
    }

    /// Returns `true` if this poll can also serve an observation with these arguments.
    ///
    /// The result is `false` if either `comparison` is a closure of the program, because closures cannot be compared.
    func isPoll(
        every interval: PollClock.Duration, clock: PollClock, comparison: RemovingDuplicates<Value>, isolation: HandlerIsolation?
    ) -> Bool {
        comparison.isStandard && hasStandardComparison && self.interval == interval && self.clock.isSameClock(as: clock)
            && isIsolation(isolation)
    }

    private var hasStandardComparison: Bool { lock.withLock { comparison?.isStandard ?? false } }

    // MARK: Reading

    func look() {
        guard isObserved, let object = livingObject() else { return }
        let isMine = lock.withLock {
            guard turn.take(on: safekvo_thread(), mayNest: isTelling) != .marked else { return false }
            isTelling = false
            return true
        }
        guard isMine else { return }
        let new = newValue(of: object)
        lock.withLock { isTelling = true }
        if let new { notify(.after, of: object, new: new, old: nil) } else { forgetDeadObservers() }
        _ = lock.withLock { turn.pass(mayRepeat: false) }
    }

    /// Reads the value and returns it if it differs from that of the last read; returns `nil` at the first read.
    private func newValue(of object: Object) -> Value? {
        let new = value(of: object)
        let (before, comparison) = lock.withLock { (last, self.comparison) }
        if let before, let comparison, comparison.areEqual(before, new) { return nil }
        var replaced: Value? = new
        lock.withLock { swap(&replaced, &last) }
        return before == nil ? nil : new
    }

    override func prepare(_ object: Object, keepsOldValue: Bool) {
        look()
    }

    /// Returns the value of the last read; reads the value if there is none.
    override func initialValue(of object: Object) -> Value {
        lock.withLock { last } ?? value(of: object)
    }

    // MARK: The timer

    override func firstDidBegin() {
        let started = lock.withLock { () -> UInt64? in
            guard isObservedUnderLock, timerNumber == 0 else { return nil }
            timerCount += 1
            timerNumber = timerCount
            return timerNumber
        }
        guard let number = started else { return }
        let (clock, interval, isolation) = (clock, interval, isolation)
        let first = clock.now.advanced(by: interval)
        var made: Task<Void, Never>? = Task.detached { [weak self] in
            var deadline = first
            while !Task.isCancelled {
                do {
                    try await clock.sleep(until: deadline, tolerance: nil)
                } catch {
                    // Cancellation is no failure: the observations have ended. Any other error comes from the clock.
                    if !Task.isCancelled { await self?.clockDidFail(error, timer: number) }
                    return
                }
                // Only the isolation may retain the poll: the last reference releases what the poll keeps. The last end cancels this task.
                if let isolation {
                    if await !isolation.run({ [weak self] in self?.look() }) {
                        self?.isolationDidDie()
                        return
                    }
                } else {
                    self?.look()
                }
                deadline = Self.deadline(after: deadline, every: interval, now: clock.now)
            }
        }
        lock.withLock { if timerNumber == number { swap(&timer, &made) } }
        made?.cancel()
    }

    override func lastDidEnd() {
        var over: (timer: Task<Void, Never>?, last: Value?, comparison: RemovingDuplicates<Value>?)
        lock.withLock {
            if isObservedUnderLock { return }
            timerNumber = 0
            swap(&over.timer, &timer)
            swap(&over.last, &last)
            if let comparison, !comparison.isStandard { swap(&over.comparison, &self.comparison) }
        }
        over.timer?.cancel()
    }

    /// Ends the observations, because the clock's `sleep` threw an error; does nothing if the timer `number` was stopped.
    private func clockDidFail(_ error: any Error, timer number: UInt64) async {
        var over: Task<Void, Never>?
        let isCurrent = lock.withLock {
            guard timerNumber == number else { return false }
            timerNumber = 0
            swap(&over, &timer)
            return true
        }
        guard isCurrent else { return }
        if let isolation {
            if await !isolation.run({ self.endObservations(after: error) }) { isolationDidDie() }
        } else {
            endObservations(after: error)
        }
        // Make a new timer if an observation has begun since the clock failed.
        firstDidBegin()
    }

    private func endObservations(after error: any Error) {
        endObservations(for: .clockFailed) { info in
            ObservationDiagnostics.warn(
                .unusableClock, at: info.position,
                """
                `poll(_:_:every:clock:)` of `\(withList { $0.qualifiedName })` at \(info.position) has ended, because the `sleep` of \
                `\(PollClock.self)` threw \(error). Poll again when the clock works, or pass another clock.
                """)
            return true
        }
    }

    /// Returns the first multiple of the interval after `last` that has not passed yet.
    private static func deadline(
        after last: PollClock.Instant, every interval: PollClock.Duration, now: PollClock.Instant
    ) -> PollClock.Instant {
        let missed = last < now ? (last.duration(to: now) / interval).rounded(.down) : 0
        return last.advanced(by: interval * (Int(min(missed, 0x1p53)) + 1))
    }
}

extension Clock {
    func isSameClock(as other: Self) -> Bool {
        if Self.self is AnyObject.Type { return (self as AnyObject) === (other as AnyObject) }
        if MemoryLayout<Self>.size == 0 { return true }
        return (self as? any Equatable)?.isEqual(to: other) ?? false
    }
}

extension DurationProtocol {
    /// A duration of at most a century, because a later deadline would overflow the system's counter of nanoseconds.
    ///
    /// Only a `Duration` is shortened. The length of another type of duration is known only to its clock.
    var atMostACentury: Self {
        guard let duration = self as? Duration, let century = Duration.century as? Self else { return self }
        return duration > .century ? century : self
    }
}

extension Duration {
    fileprivate static var century: Duration { .seconds(100 * 365 * 86_400) }
}
