internal import CSafeKVO
internal import Synchronization

/// A value that is looked at, at an interval, as long as anybody observes it that way.
final class Poll<Object: AnyObject, Value, PollClock: Clock>: ValueDriver<Object, Value>, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `last` and what is said of the timer belong to `lock`; what is taken out of them is released outside. What counts as
    // equal is asked where the driver looks.

    private let interval: PollClock.Duration
    private let clock: PollClock
    private let comparison: RemovingDuplicates<Value>
    /// Whether the comparison is one of the program's own, which cannot be told from another.
    private let hasOwnComparison: Bool

    /// The value that was read last, while anybody observes.
    private var last: Value?
    private var timer: Task<Void, Never>?
    /// The number of the present timer, from when it is decided to make it; zero if there is none.
    private var timerNumber: UInt64 = 0
    /// How many timers there have been.
    private var timerCount: UInt64 = 0
    /// The thread that is reading, comparing and telling, or zero: another has nothing to add.
    private let looker = Atomic<UInt>(0)
    /// Whether it has come to telling: a handler may make it look again, a getter may not.
    private let isTelling = Atomic<Bool>(false)

    init(
        _ record: ObservationRecord, _ list: ObserverList, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration,
        clock: PollClock, comparison: RemovingDuplicates<Value>, hasOwnComparison: Bool, isolation: PullIsolation?
    ) {
        self.interval = interval
        self.clock = clock
        self.comparison = comparison
        self.hasOwnComparison = hasOwnComparison
        super.init(record, list, keyPath, isolation: isolation)
    }

    override var function: StaticString { "poll" }

    /// Whether this poll will do for another observer.
    func isPoll(every interval: PollClock.Duration, clock: PollClock, hasOwnComparison: Bool, isolation: (any Actor)?) -> Bool {
        !hasOwnComparison && !self.hasOwnComparison && self.interval == interval && self.clock.isSameClock(as: clock)
            && isIsolation(of: isolation)
    }

    // MARK: Looking

    /// Reads the value and tells the observers if it is another than the one that was read last.
    func look() {
        guard isObserved, let object = livingObject() else { return }
        let thread = safekvo_thread()
        let isNested = looker.load(ordering: .relaxed) == thread && isTelling.exchange(false, ordering: .relaxed)
        // Somebody else is at it.
        if !isNested, !looker.compareExchange(expected: 0, desired: thread, ordering: .acquiringAndReleasing).exchanged { return }
        let change = change(of: object)
        isTelling.store(true, ordering: .relaxed)
        if let old = change.old { tell(.after, of: object, new: change.new, old: old) } else { forgetDeadObservers() }
        if isNested { return }
        isTelling.store(false, ordering: .relaxed)
        looker.store(0, ordering: .releasing)
    }

    /// Reads the value.
    ///
    /// - Returns: the value, with the one that was read before if that was another.
    private func change(of object: Object) -> (new: Value, old: Value?) {
        let new = value(of: object)
        let before = lock.withLock { last }
        if let before, comparison.areEqual(before, new) { return (new, nil) }
        var replaced: Value? = new
        lock.withLock { swap(&replaced, &last) }
        return (new, before)
    }

    override func prepare(_ object: Object, keepsOldValue: Bool) {
        look()
    }

    /// The value that was read last: what it is now is told when it is read next.
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
        let (clock, interval) = (clock, interval)
        // An interval from now, whatever the threads do in between.
        let first = clock.now.advanced(by: interval)
        var made: Task<Void, Never>? = Task.detached { [weak self] in
            var deadline = first
            while !Task.isCancelled {
                do {
                    try await clock.sleep(until: deadline, tolerance: nil)
                } catch {
                    // The end of the last observation cancels the task. Every other error is the clock's own, whatever its type.
                    if !Task.isCancelled { await self?.clockDidFail(error, timer: number) }
                    return
                }
                guard let poll = self, await poll.lookInPlace() else { return }
                deadline = Self.deadline(after: deadline, every: interval, now: clock.now)
            }
        }
        lock.withLock { if timerNumber == number { swap(&timer, &made) } }
        made?.cancel()
    }

    override func lastDidEnd() {
        var over: (timer: Task<Void, Never>?, last: Value?)
        lock.withLock {
            if isObservedUnderLock { return }
            timerNumber = 0
            swap(&over.timer, &timer)
            swap(&over.last, &last)
        }
        over.timer?.cancel()
    }

    /// Ends the observations, because the clock cannot wait for the next deadline.
    ///
    /// - Parameters:
    ///   - error: The error that the clock threw.
    ///   - number: The number of the timer that waited.
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
        // An observation that was registered meanwhile and has not been ended here has no timer yet.
        firstDidBegin()
    }

    private func endObservations(after error: any Error) {
        endObservations(for: .clockFailed) { info in
            ObservationDiagnostics.warn(
                .unusableClock, at: info.position,
                """
                `poll(_:_:every:clock:)` of `\(keyPath)` at \(info.position) has ended, because the `sleep` of `\(PollClock.self)` threw \
                \(error). Poll again when the clock works, or pass another clock.
                """)
            return true
        }
    }

    /// Looks where that may be done.
    ///
    /// - Returns: whether to go on.
    private func lookInPlace() async -> Bool {
        guard let isolation else {
            look()
            return true
        }
        if await isolation.run({ self.look() }) { return true }
        isolationDidDie()
        return false
    }

    /// The next deadline that has not passed: deadlines are multiples of the interval, however late a task comes to it.
    private static func deadline(
        after last: PollClock.Instant, every interval: PollClock.Duration, now: PollClock.Instant
    ) -> PollClock.Instant {
        let missed = last < now ? (last.duration(to: now) / interval).rounded(.down) : 0
        return last.advanced(by: interval * (Int(min(missed, 0x1p53)) + 1))
    }
}

extension Clock {
    /// Whether another clock is known to tell the same time: the same object, an equal value, or one that holds nothing to be different by.
    func isSameClock(as other: Self) -> Bool {
        if Self.self is AnyObject.Type { return (self as AnyObject) === (other as AnyObject) }
        if MemoryLayout<Self>.size == 0 { return true }
        func isEqual<Value: Equatable>(_ value: Value) -> Bool { value == other as? Value }
        return (self as? any Equatable).map { isEqual($0) } ?? false
    }
}

extension DurationProtocol {
    /// The duration, or a century if it is a longer `Duration`.
    ///
    /// A clock adds it to the present time and counts the nanoseconds, for which the system has 292 years. A type of durations of the program's
    /// own is left as it is: nobody but its clock knows how long they are.
    var atMostACentury: Self {
        guard let duration = self as? Duration, let century = Duration.century as? Self else { return self }
        return duration > .century ? century : self
    }
}

extension Duration {
    fileprivate static var century: Duration { .seconds(100 * 365 * 86_400) }
}
