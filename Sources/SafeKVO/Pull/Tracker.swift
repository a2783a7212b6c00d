internal import CSafeKVO
internal import Observation
internal import Synchronization

/// A value that depends on objects of Swift's `@Observable`, followed by reading it under `withObservationTracking` again and again.
///
/// Swift says once for each reading, and before the change, that something will change. So what a change has made of the value is read when the
/// next one is about to come, or when the isolation in which it is observed has come to the end of what it is doing, whichever is first.
///
/// Nothing says that the change has been made. In the isolation it has been made by then. A change on another thread is found if it has been made when
/// the value is read for the second time, after Swift has begun to follow what was read. If it is announced before that and made after it, nobody can
/// know: it is found with the next change.
final class Tracker<Object: AnyObject, Value>: ValueDriver<Object, Value>, TrackingOwner, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything belongs to `lock`; values that are taken out are released outside.

    /// The value before the change that is told next, if anybody wants it.
    private var old: Value?
    /// The number of the last reading; what earlier ones say is not news, unless the last one is under way.
    private var reading: UInt64 = 0
    /// Whether the last reading will say when something changes.
    private var isArmed = false
    /// Whether somebody is reading.
    private var isReading = false
    /// Whether a change has come that is not told yet.
    private var isPending = false
    /// Whether a job is on its way, or at work, that tells changes.
    private var isScheduled = false

    // MARK: Reading

    /// How often the value was read under Swift's tracking, which keeps something of each reading until what was read changes.
    var readingCount: UInt64 { lock.withLock { reading } }

    /// Reads the value, so that the next change is heard of.
    ///
    /// The caller has begun to read.
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

    /// Begins to read.
    ///
    /// - Returns: false if somebody else is at it, who will see to what has come.
    private func beginReading() -> Bool {
        lock.withLock {
            if isReading { return false }
            isReading = true
            return true
        }
    }

    /// Ends reading, and sees to what has come meanwhile.
    private func endReading() {
        let isDue = lock.withLock {
            isReading = false
            return isJobDue()
        }
        if isDue { schedule() }
    }

    /// Whether a change that has not been told is there; it is the caller's business from now on.
    private func takePending() -> Bool {
        lock.withLock {
            defer { isPending = false }
            return isPending
        }
    }

    /// Keeps a value as the old one of the next change, if anybody wants it.
    ///
    /// On any thread, somebody may be about to.
    ///
    /// - Returns: the one that was kept before.
    private func keep(_ value: Value) -> Value? {
        var kept = isolation == nil || wantsOldValues ? value : nil
        lock.withLock { swap(&kept, &old) }
        return kept
    }

    // MARK: A change is about to come

    func changeWillCome(_ number: UInt64) {
        guard let object = livingObject() else { return }
        // A batch tells nothing before it ends, and of several changes nothing but the last.
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

    /// Tells the change before the one that is about to come, and what handlers change then, and that one is about to come.
    ///
    /// The caller has begun to read.
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

    // MARK: A change has come

    /// Tells the change that has come, if one has.
    func settle() {
        guard let object = livingObject(), isObserved, beginReading() else { return }
        guard takePending() else { return endReading() }
        // Swift follows what was read once the reading is over. What other threads have changed meanwhile is found by reading again.
        _ = track(object)
        let value = track(object)
        let before = keep(value)
        endReading()
        tell(.after, of: object, new: value, old: before)
    }

    /// Whether a job must be scheduled; if so, it counts as scheduled.
    ///
    /// For who has the lock.
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
        // Not before all is told: on any thread, the next job would tell beside this one.
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
        // Also if nothing is to be done, `self` must outlive this call: it may hold the last reference to something of the program's.
        Task.detached(priority: Task.currentPriority) { if isDue { await self.runJob() } }
    }

    // MARK: Coming and going

    override func prepare(_ object: Object, keepsOldValue: Bool) {
        // On any thread, a job may be telling the change right now.
        if isolation != nil { settle() }
        guard beginReading() else { return }
        defer { endReading() }
        let (isHeard, hasOld) = lock.withLock { (isArmed || isPending, old != nil) }
        let keepsOldValue = keepsOldValue || isolation == nil
        // Each reading leaves something with what it read, until that changes: there must not be one for each observer that comes and goes.
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

/// Whoever reads a value under Swift's tracking.
protocol TrackingOwner: AnyObject, Sendable {
    /// Something that a reading read is about to change.
    ///
    /// Called on the thread that changes it, before it does.
    func changeWillCome(_ reading: UInt64)

    /// All that a reading read is gone.
    ///
    /// Called under somebody else's lock: nothing of the program's may be called, nor released.
    func trackedObjectsDidDie(_ reading: UInt64)
}

/// One reading of a value under Swift's tracking, which says once that something it read is about to change.
///
/// The registrars of what was read hold it. When they are gone before that, so is this, and then it is said too.
final class TrackingToken: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `owner` is taken out by whoever sets `isOver`, and by nobody else.

    /// Whom to tell.
    ///
    /// Taken out at once: a registrar lets go of this under its lock, where nothing of the program's may be released.
    private var owner: (any TrackingOwner)?
    private let reading: UInt64
    private let isOver = Atomic<Bool>(false)
    /// Whether anything was read that can change.
    private(set) var isArmed = false

    init(_ owner: any TrackingOwner, reading: UInt64) {
        self.owner = owner
        self.reading = reading
    }

    deinit {
        guard isArmed, let owner = takeOwner() else { return }
        // A registrar lets go of this under its lock: the rest is done elsewhere.
        owner.trackedObjectsDidDie(reading)
    }

    /// What the registrars of what was read are to call.
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
