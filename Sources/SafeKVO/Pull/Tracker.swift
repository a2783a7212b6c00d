internal import CSafeKVO
internal import Observation
internal import Synchronization

/// Notifies observers of changes of a value that depends on objects of `@Observable` classes.
///
/// The tracker reads the value in `withObservationTracking` (a *tracked read*). Swift then reports only the next change, and before that
/// change is made. So the tracker reads the new value later: in a job in the observers' isolation, or when Swift reports the following
/// change.
///
/// The job makes two tracked reads, because Swift does not report changes that other threads make during a tracked read. The second read
/// finds the changes made during the first one. Changes made during the second read are reported because of the first one.
///
/// From Swift 6.4 on, Swift also reports the change after it is made. The job then waits for that report, so that it reads the new value.
/// If the report comes in the observers' isolation, the job runs at once, in place of a hop.
final class Tracker<Object: AnyObject, Value>: ValueDriver<Object, Value>, TrackingOwner, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards every variable. Removed values are released after the lock.

    /// The old value of the next change; `nil` if no observer wants it.
    private var old: Value?
    private var reading: UInt64 = 0
    /// `true` if Swift will report the next change.
    private var isArmed = false
    /// The right to read the value; marked if a reported change must still be delivered.
    private var turn = Turn()
    private var isScheduled = false

    // MARK: Reading

    /// The number of tracked reads so far; each one costs memory until Swift reports a change of a property that was read.
    var readingCount: UInt64 { lock.withLock { reading } }

    /// Reads the value, so that Swift reports its next change; the caller must have called ``beginReading()``.
    private func track(_ object: Object) -> Value {
        let number = lock.withLock {
            reading += 1
            isArmed = true
            return reading
        }
        let token = TrackingToken(self, reading: number)
        let value = withObservationTracking({ read(object, number) }, onChange: token.arm())
        if !token.isArmed { lock.withLock { if reading == number { isArmed = false } } }
        return value
    }

    /// Begins a read of the value; returns `false` if another read is in progress.
    private func beginReading() -> Bool {
        lock.withLock { !turn.isHeld && turn.take(on: 0, mayNest: false) == .taken }
    }

    private func endReading() {
        scheduleIfDue { _ = turn.pass(mayRepeat: false) }
    }

    /// Returns `false` if a report of the tracked read `number` says nothing new: a later read has begun and ended.
    ///
    /// The caller holds the lock.
    private func concerns(_ number: UInt64) -> Bool {
        if number == reading { isArmed = false }
        return number == reading || turn.isHeld
    }

    private func takePending() -> Bool {
        lock.withLock {
            defer { turn.begin() }
            return turn.isMarked
        }
    }

    /// Keeps `value` as the old value of the next change, and returns the old value of the present change.
    private func keep(_ value: Value) -> Value? {
        var kept = isolation == nil || wantsOldValues ? value : nil
        lock.withLock { swap(&kept, &old) }
        return kept
    }

    // MARK: Before a change

    /// `true` if observers may be notified here: only in their isolation and outside a batch of changes.
    ///
    /// Otherwise a job notifies them later.
    private var isHere: Bool { !safekvo_has_batch() && isolation?.isCurrent ?? false }

    func changeWillCome(_ number: UInt64) {
        // Elsewhere, the object must not be retained, not even for a moment.
        let object = isHere ? livingObject() : nil
        let (isReader, isDue) = lock.withLock {
            if Self.isReportedAfter, object == nil { return (false, false) }
            guard concerns(number), isObservedUnderLock else { return (false, false) }
            if object != nil, turn.take(on: 0, mayNest: false) == .taken { return (true, false) }
            turn.mark()
            return (false, isJobDue())
        }
        if isReader, let object { notifyOfWhatCameBefore(of: object) }
        if isDue { schedule() }
    }

    /// Notifies observers of earlier changes, then calls those that want a call before the next change.
    ///
    /// Called in the observers' isolation when Swift reports that the next change is about to be made. The caller must have the
    /// turn.
    private func notifyOfWhatCameBefore(of object: Object) {
        var value = track(object)
        while takePending() {
            let before = keep(value)
            _ = lock.withLock { turn.pass(mayRepeat: false) }
            notify(.after, of: object, new: value, old: before)
            guard isObserved else { return }
            guard beginReading() else { return noteChange() }
            if lock.withLock({ turn.isMarked }) { value = track(object) }
        }
        _ = keep(value)
        endReading()
        if wantsPriorCalls { notify(.prior, of: object, new: nil, old: wantsOldValues ? value : nil) }
        noteChange()
    }

    private func noteChange() {
        if Self.isReportedAfter { return }
        scheduleIfDue { if isObservedUnderLock { turn.mark() } }
    }

    // MARK: After a change

    #if compiler(>=6.4) || SAFEKVO_NEXT_OBSERVATION
        /// `true` if Swift reports a change also after it is made.
        static var isReportedAfter: Bool {
            if #available(macOS 27, iOS 27, tvOS 27, watchOS 27, visionOS 27, *) { true } else { false }
        }

        private func read(_ object: Object, _ number: UInt64) -> Value {
            guard #available(macOS 27, iOS 27, tvOS 27, watchOS 27, visionOS 27, *) else { return value(of: object) }
            // Swift may hold a lock when it releases the closure. So the closure does not retain the tracker, which the observations retain.
            return withObservationTracking(options: .didSet) {
                value(of: object)
            } onChange: { [weak self] _ in
                self?.changeDidCome(number)
            }
        }

        /// Called on the changing thread when a property that was read in the tracked read `number` has changed.
        ///
        /// A read after that one has a report of its own, which comes too if that read may have missed the change.
        private func changeDidCome(_ number: UInt64) {
            let isDue = lock.withLock {
                guard concerns(number), isObservedUnderLock else { return false }
                turn.mark()
                return isJobDue()
            }
            guard isDue else { return }
            if isHere { job() } else { schedule() }
        }
    #else
        static var isReportedAfter: Bool { false }

        private func read(_ object: Object, _ number: UInt64) -> Value { value(of: object) }
    #endif

    func settle() {
        guard let object = livingObject(), isObserved, beginReading() else { return }
        guard takePending() else { return endReading() }
        // The first read may miss a change that another thread makes meanwhile. The second read finds that change.
        _ = track(object)
        let value = track(object)
        let before = keep(value)
        endReading()
        notify(.after, of: object, new: value, old: before)
    }

    /// Returns `true` if the caller must schedule a job that delivers a change which Swift has reported.
    ///
    /// The caller holds the lock.
    private func isJobDue(always: Bool = false) -> Bool {
        guard turn.isMarked || always, !turn.isHeld, !isScheduled else { return false }
        isScheduled = true
        return true
    }

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
        // `isScheduled` stays set during `settle()`. Otherwise a second job could notify observers at the same time.
        let isDue = lock.withLock {
            isScheduled = false
            return isObservedUnderLock && isJobDue()
        }
        if isDue { schedule() }
    }

    func trackedObjectsDidDie(_ number: UInt64) async {
        let isDue = lock.withLock {
            if number == reading {
                isArmed = false
                if isObservedUnderLock { turn.mark() }
            }
            return isJobDue(always: true)
        }
        if isDue { await runJob() }
    }

    // MARK: Adding and removing observers

    override func prepare(_ object: Object, keepsOldValue: Bool) {
        // Deliver an earlier change now, so that the new observer is not notified of that change. But without an isolation, only a task
        // delivers changes, because two threads must not deliver at the same time.
        if isolation != nil { settle() }
        guard beginReading() else { return }
        defer { endReading() }
        let (isHeard, hasOld) = lock.withLock { (isArmed || turn.isMarked, old != nil) }
        let keepsOldValue = keepsOldValue || isolation == nil
        // `track` asks Swift to report the next change, and each call costs memory until that change. So call it only if no report is
        // requested or due. Otherwise, read the value without `track`, if the new observer needs it as an old value.
        var kept: Value?
        if !isHeard {
            kept = track(object)
        } else if keepsOldValue, !hasOld {
            kept = value(of: object)
        }
        guard keepsOldValue, kept != nil else { return }
        lock.withLock { swap(&kept, &old) }
    }

    override var isSilent: Bool { lock.withLock { !isArmed && !turn.isMarked && !turn.isHeld } }

    override func lastDidEnd() {
        var over: Value?
        lock.withLock {
            if isObservedUnderLock { return }
            turn.begin()
            swap(&over, &old)
        }
    }
}

protocol TrackingOwner: AnyObject, Sendable {
    /// Called on the changing thread when a property that was read in the tracked read `reading` is about to change.
    func changeWillCome(_ reading: UInt64)

    /// Called in a task when every object that a tracked read has used is deallocated.
    func trackedObjectsDidDie(_ reading: UInt64) async
}

/// A token that notifies its owner once, before the first change of a property that was read.
///
/// Swift retains the token for the objects that were read. If all of them are deallocated first, the token's `deinit` notifies the owner in
/// a task.
final class TrackingToken: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `notice` is constant. Only `arm()` writes `isArmed`, before Swift gets the closure that `arm()`
    // returns.
    private let notice: TrackingNotice
    private(set) var isArmed = false

    init(_ owner: any TrackingOwner, reading: UInt64) {
        notice = TrackingNotice(owner, reading: reading)
    }

    deinit {
        guard isArmed, notice.hasOwner else { return }
        // Swift may hold a lock here, and the release of the owner may run code of the program. So only the task uses the owner.
        Task.detached(priority: Task.currentPriority) { [notice] in
            if let owner = notice.takeOwner() { await owner.trackedObjectsDidDie(notice.reading) }
        }
    }

    /// Makes the closure that Swift calls before a change, and records in `isArmed` that Swift will call it.
    ///
    /// Call this function only in the autoclosure `onChange` of `withObservationTracking`. Swift evaluates that autoclosure only if a
    /// property that can change was read.
    func arm() -> @Sendable () -> Void {
        isArmed = true
        return { self.notice.takeOwner()?.changeWillCome(self.notice.reading) }
    }
}

private final class TrackingNotice: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `owner` is used only by the thread that is the first to set `isOver`.
    private var owner: (any TrackingOwner)?
    let reading: UInt64
    private let isOver = Atomic<Bool>(false)

    init(_ owner: any TrackingOwner, reading: UInt64) {
        self.owner = owner
        self.reading = reading
    }

    var hasOwner: Bool { !isOver.load(ordering: .relaxed) }

    /// Returns the owner to the first caller, and `nil` to every other one, so that the owner is notified once.
    func takeOwner() -> (any TrackingOwner)? {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return nil }
        return owner.take()
    }
}
