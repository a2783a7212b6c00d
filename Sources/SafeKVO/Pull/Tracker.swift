internal import CSafeKVO
internal import Observation
internal import Synchronization

/// A driver that follows a value which depends on objects of Swift's `@Observable` macro.
///
/// It reads the value under `withObservationTracking` again and again. For each reading, Swift calls a closure once, before the first
/// change. So the new value cannot be read at that time. The tracker reads it before the next change, or when the isolation of the
/// observers has finished what it is doing, whichever comes first.
///
/// Swift does not say when a change has been made. A change in the isolation of the observers has been made by the time of the reading.
/// Another thread may still be making its change. So the tracker reads the value twice, because Swift follows the objects only after the
/// first reading. The second reading finds every change that was made before it. If Swift reports a change before the second reading, and
/// the change is made after it, the tracker finds it only with the next change.
final class Tracker<Object: AnyObject, Value>: ValueDriver<Object, Value>, TrackingOwner, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) every variable is guarded by `lock`; values that are taken out are released outside it.

    /// The old value for the next change that is delivered, if an observer wants it.
    private var old: Value?
    /// The number of the last reading.
    ///
    /// Notifications from earlier readings are ignored, unless the last reading is in progress.
    private var reading: UInt64 = 0
    /// `true` if the last reading will notify the tracker of a change.
    private var isArmed = false
    /// `true` while a thread reads the value.
    private var isReading = false
    /// `true` if a change was noticed and is not delivered yet.
    private var isPending = false
    /// `true` if a job that delivers changes is scheduled or running.
    private var isScheduled = false

    // MARK: Reading

    /// The number of readings under Swift's tracking.
    ///
    /// Swift keeps something for each reading until one of the properties that it has read changes.
    var readingCount: UInt64 { lock.withLock { reading } }

    /// Reads the value under Swift's tracking, so that the next change is noticed.
    ///
    /// The caller has called ``beginReading()``.
    private func track(_ object: Object) -> Value {
        let number = lock.withLock {
            reading += 1
            isArmed = true
            return reading
        }
        let token = TrackingToken(self, reading: number)
        let value = withObservationTracking({ self.value(of: object) }, onChange: token.arm())
        if !token.isArmed { lock.withLock { if reading == number { isArmed = false } } }
        return value
    }

    /// Notes that this thread begins to read the value.
    ///
    /// - Returns: `false` if a reading is in progress already. Whoever reads then handles the changes that were noticed.
    private func beginReading() -> Bool {
        lock.withLock {
            if isReading { return false }
            isReading = true
            return true
        }
    }

    /// Notes that this thread has read the value, and schedules a job if a change was noticed meanwhile.
    private func endReading() {
        let isDue = lock.withLock {
            isReading = false
            return isJobDue()
        }
        if isDue { schedule() }
    }

    /// Returns `true` if a change was noticed and is not delivered yet; the caller must then deliver it.
    private func takePending() -> Bool {
        lock.withLock {
            defer { isPending = false }
            return isPending
        }
    }

    /// Stores a value as the old value of the next change, if an observer wants it.
    ///
    /// Without an isolation, an observer that wants it may be added on another thread at any time. So the value is always stored then.
    ///
    /// - Returns: The value that was stored before.
    private func keep(_ value: Value) -> Value? {
        var kept = isolation == nil || wantsOldValues ? value : nil
        lock.withLock { swap(&kept, &old) }
        return kept
    }

    // MARK: Before a change

    func changeWillCome(_ number: UInt64) {
        guard let object = livingObject() else { return }
        // Inside a batch of changes, observers are notified only at its end, and only of the last of several changes. So a job reads the
        // value.
        let isHere = !safekvo_has_batch() && isolation?.isCurrent ?? false
        let (isReader, isDue) = lock.withLock {
            if number == reading { isArmed = false } else if !isReading { return (false, false) }
            guard isObservedUnderLock else { return (false, false) }
            if isHere, !isReading {
                isReading = true
                return (true, false)
            }
            isPending = true
            return (false, isJobDue())
        }
        if isReader { tellWhatCameBefore(of: object) }
        if isDue { schedule() }
    }

    /// Delivers the changes that were made before the next one, and then calls the observers that want a call before a change.
    ///
    /// Handlers may make further changes, which are delivered, too. The caller has called ``beginReading()``.
    private func tellWhatCameBefore(of object: Object) {
        var value = track(object)
        while takePending() {
            let before = keep(value)
            lock.withLock { isReading = false }
            tell(.after, of: object, new: value, old: before)
            guard isObserved else { return }
            guard beginReading() else { return noteChange() }
            if lock.withLock({ isPending }) { value = track(object) }
        }
        _ = keep(value)
        endReading()
        if wantsPriorCalls { tell(.prior, of: object, new: nil, old: wantsOldValues ? value : nil) }
        noteChange()
    }

    private func noteChange() {
        let isDue = lock.withLock {
            isPending = isObservedUnderLock
            return isJobDue()
        }
        if isDue { schedule() }
    }

    // MARK: After a change

    /// Delivers the change that was noticed, if there is one.
    func settle() {
        guard let object = livingObject(), isObserved, beginReading() else { return }
        guard takePending() else { return endReading() }
        // Swift follows a value only after its reading. Another thread may change the value during the reading. So the value is read a
        // second time.
        _ = track(object)
        let value = track(object)
        let before = keep(value)
        endReading()
        tell(.after, of: object, new: value, old: before)
    }

    /// Returns `true` if a job must be scheduled, and notes that it is scheduled.
    ///
    /// The caller holds the lock.
    private func isJobDue(always: Bool = false) -> Bool {
        guard isPending || always, !isReading, !isScheduled else { return false }
        isScheduled = true
        return true
    }

    private func schedule() {
        Task.detached(priority: Task.currentPriority) { await self.runJob() }
    }

    private func runJob() async {
        guard let isolation else { return job() }
        if await !isolation.run({ self.job() }) { isolationDidDie() }
    }

    private func job() {
        settle()
        // The next job must not start earlier: without an isolation, it could notify observers at the same time as this one.
        let isDue = lock.withLock {
            isScheduled = false
            return isObservedUnderLock && isJobDue()
        }
        if isDue { schedule() }
    }

    func trackedObjectsDidDie(_ number: UInt64) {
        let isDue = lock.withLock {
            if number == reading {
                isArmed = false
                isPending = isObservedUnderLock
            }
            return isJobDue(always: true)
        }
        // The task retains `self`, even if it does nothing else. Otherwise `self` and objects of the program could be released in this
        // call, under a lock of Swift's.
        Task.detached(priority: Task.currentPriority) { if isDue { await self.runJob() } }
    }

    // MARK: Adding and removing observers

    override func prepare(_ object: Object, keepsOldValue: Bool) {
        // A tracker without an isolation does not deliver here, because a job may be delivering the change on another thread.
        if isolation != nil { settle() }
        guard beginReading() else { return }
        defer { endReading() }
        let (isHeard, hasOld) = lock.withLock { (isArmed || isPending, old != nil) }
        let keepsOldValue = keepsOldValue || isolation == nil
        // Swift keeps something for each tracked reading until a change. So a new observer causes a tracked reading only if the value is
        // not tracked yet.
        var kept: Value?
        if !isHeard {
            kept = track(object)
        } else if keepsOldValue, !hasOld {
            kept = value(of: object)
        }
        guard keepsOldValue, kept != nil else { return }
        lock.withLock { swap(&kept, &old) }
    }

    override var isSilent: Bool { lock.withLock { !isArmed && !isPending && !isReading } }

    override func lastDidEnd() {
        var over: Value?
        lock.withLock {
            if isObservedUnderLock { return }
            isPending = false
            swap(&over, &old)
        }
    }
}

/// An object that reads a value under Swift's tracking.
protocol TrackingOwner: AnyObject, Sendable {
    /// Called when something that a reading has read is about to change.
    ///
    /// The call comes on the thread that makes the change, before the change.
    ///
    /// - Parameter reading: The number of the reading.
    func changeWillCome(_ reading: UInt64)

    /// Called when all objects that a reading has read are deallocated.
    ///
    /// The caller holds a lock of Swift's. So this function must neither call nor release anything of the program.
    ///
    /// - Parameter reading: The number of the reading.
    func trackedObjectsDidDie(_ reading: UInt64)
}

/// One reading of a value under Swift's tracking, which notifies its owner once when something that was read is about to change.
///
/// The registrars of the objects that were read retain the token. If all of them are deallocated before a change, the token's `deinit`
/// notifies the owner instead.
final class TrackingToken: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) only the thread that sets `isOver` takes `owner` out. `isArmed` is written before Swift's registrars
    // get the token.

    /// The object to notify, or nil once it was notified.
    ///
    /// The token gives it up early. Swift's registrars release the token under their lock, where no object of the program may be released.
    private var owner: (any TrackingOwner)?
    private let reading: UInt64
    private let isOver = Atomic<Bool>(false)
    /// `true` if the reading has read something that can change.
    private(set) var isArmed = false

    init(_ owner: any TrackingOwner, reading: UInt64) {
        self.owner = owner
        self.reading = reading
    }

    deinit {
        guard isArmed, let owner = takeOwner() else { return }
        // A registrar releases the token under its lock. So the owner does the rest in a task.
        owner.trackedObjectsDidDie(reading)
    }

    /// Returns the closure that Swift calls before a change.
    ///
    /// Swift asks for it only if something was read that can change.
    func arm() -> @Sendable () -> Void {
        isArmed = true
        return { self.changeWillCome() }
    }

    private func changeWillCome() {
        takeOwner()?.changeWillCome(reading)
    }

    private func takeOwner() -> (any TrackingOwner)? {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return nil }
        return owner.take()
    }
}
