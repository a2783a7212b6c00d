internal import CSafeKVO
internal import Observation
internal import Synchronization

/// A driver for a value that depends on objects of `@Observable` classes.
///
/// It reads the value under `withObservationTracking`. After such a reading, Swift calls a closure once, before the first change. The new
/// value does not exist then. So the tracker reads it before the next change or in a later job in the observers' isolation, whichever comes
/// first.
///
/// Swift does not say when a change is complete. A change in the observers' isolation is complete before the job runs, but another thread
/// may still be making its change. Swift follows the objects only once a reading has returned. So the job reads the value twice, and the
/// second reading finds every change that was complete before it. A change that is reported earlier and completed later is found only with
/// the next change.
final class Tracker<Object: AnyObject, Value>: ValueDriver<Object, Value>, TrackingOwner, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards every variable. A value that is taken out is released after the lock.

    /// The old value of the next change that is delivered, if an observer wants it.
    private var old: Value?
    /// The number of the last reading.
    ///
    /// If Swift reports a change to an earlier reading, the report is ignored, unless a reading is in progress.
    private var reading: UInt64 = 0
    /// `true` if Swift will report the next change to the last reading.
    private var isArmed = false
    /// `true` while a thread reads the value.
    private var isReading = false
    /// `true` if a change was reported and is not delivered yet.
    private var isPending = false
    /// `true` if a job that delivers changes is scheduled or running.
    private var isScheduled = false

    // MARK: Reading

    /// The number of readings under Swift's tracking.
    ///
    /// Swift keeps memory for each reading until one of the properties that were read changes.
    var readingCount: UInt64 { lock.withLock { reading } }

    /// Reads the value under Swift's tracking, so that the next change is reported.
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
    /// - Returns: `false` if a reading is already in progress. The code that is reading then also handles the reported changes.
    private func beginReading() -> Bool {
        lock.withLock {
            if isReading { return false }
            isReading = true
            return true
        }
    }

    /// Notes that this thread has read the value, and schedules a job if a change was reported meanwhile.
    private func endReading() {
        scheduleIfDue { isReading = false }
    }

    /// Returns `true` if a change was reported and is not delivered yet; the caller must then deliver it.
    private func takePending() -> Bool {
        lock.withLock {
            defer { isPending = false }
            return isPending
        }
    }

    /// Stores a value as the old value of the next change, if an observer wants it.
    ///
    /// A tracker without an isolation always stores it, because another thread may add such an observer at any time.
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
        // Inside a batch of changes, no observer is notified until the batch ends. So a job reads the value later.
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

    /// Delivers the changes made before the coming one, and then calls the observers that want a call before a change.
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
        scheduleIfDue { isPending = isObservedUnderLock }
    }

    // MARK: After a change

    /// Delivers the change that was reported, if there is one.
    func settle() {
        guard let object = livingObject(), isObserved, beginReading() else { return }
        guard takePending() else { return endReading() }
        // Swift follows the objects only once a reading has returned. Another thread may make a change during the first reading, so the
        // value is read again.
        _ = track(object)
        let value = track(object)
        let before = keep(value)
        endReading()
        tell(.after, of: object, new: value, old: before)
    }

    /// Returns `true` if the caller must schedule a job, and notes that the job is scheduled.
    ///
    /// The caller holds the lock.
    private func isJobDue(always: Bool = false) -> Bool {
        guard isPending || always, !isReading, !isScheduled else { return false }
        isScheduled = true
        return true
    }

    /// Changes the state under the lock, and schedules a job if one is due then.
    private func scheduleIfDue(after change: () -> Void) {
        let isDue = lock.withLock {
            change()
            return isJobDue()
        }
        if isDue { schedule() }
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
        // No other job is scheduled until this one has settled. Otherwise, in a tracker without an isolation, two jobs could notify
        // observers at the same time.
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
        // Swift holds a lock during this call, so `self` and objects of the program must not be deallocated in it. The task retains `self`
        // until the call has returned, even if no job is due.
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
        // Swift keeps memory for each tracked reading until a change. So a new observer causes a tracked reading only if the value is not
        // tracked yet.
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
    /// Called when a property that a reading has read is about to change.
    ///
    /// The call comes on the thread that makes the change.
    func changeWillCome(_ reading: UInt64)

    /// Called when all objects that a reading has read are deallocated.
    ///
    /// Swift holds a lock during the call. So this function must neither call code of the program nor release an object of the program.
    func trackedObjectsDidDie(_ reading: UInt64)
}

/// One reading of a value under Swift's tracking.
///
/// It notifies its owner once, when a property that was read is about to change. Swift's registrars of the objects that were read retain
/// the token. If all these objects are deallocated before a change, the token's `deinit` notifies the owner instead.
final class TrackingToken: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `owner` is taken only by the thread that sets `isOver`. `isArmed` is written before Swift's
    // registrars get the token.

    /// The object to notify, or `nil` once it was notified.
    ///
    /// The token releases its owner when it notifies it. In the token's `deinit` that would be too late: Swift's registrars may then hold
    /// their lock, under which no object of the program may be released.
    private var owner: (any TrackingOwner)?
    private let reading: UInt64
    private let isOver = Atomic<Bool>(false)
    /// `true` if the reading has read a property that can change.
    private(set) var isArmed = false

    init(_ owner: any TrackingOwner, reading: UInt64) {
        self.owner = owner
        self.reading = reading
    }

    deinit {
        guard isArmed, let owner = takeOwner() else { return }
        // The registrar that released the token may hold its lock. So the owner does its work in a task.
        owner.trackedObjectsDidDie(reading)
    }

    /// Returns the closure that Swift calls before a change.
    ///
    /// Swift calls this function only if the reading has read a property that can change.
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
