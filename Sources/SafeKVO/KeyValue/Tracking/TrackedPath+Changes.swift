internal import CSafeKVO
internal import Synchronization

/// Handles changes of the dependencies, and notifies the observers of the tracked path.
extension TrackedPath {
    /// Handles an event from a dependency.
    ///
    /// - Returns: `false` if the event does not concern the tracked path.
    func dependencyChanged(_ info: ObservationInfo, _ event: EventPointer) -> Bool {
        // SAFETY: every event of a key path begins with the header, whatever the type of its value.
        let header = unsafe event.assumingType(KeyValueEventHeader.self)
        // This registration only follows manual notifications. Any other change reaches the tracked path from the property that causes it.
        if info.flags.contains(.onlyByHand), unsafe !header.pointee.isByHand { return false }
        if unsafe info.list.with({ $0.isOfAnnouncements }) {
            hear(info, unsafe event.assumingType(KeyAnnouncement.self).pointee)
            return true
        }
        let changed = unsafe header.pointee.subject
        // A manual notification of the tracked path's own key also arrives from the property with this key. The path handles that
        // notification separately, so ignore this event.
        if unsafe header.pointee.isByHand, changed == subject, unsafe info.list.with({ $0.isDependent && $0.isAnnounced(by: keyPath) }) {
            return true
        }
        switch unsafe header.pointee.phase {
        case .upcoming: noteObservers(info.list, changed, limit: unsafe header.pointee.limit)
        case .prior:
            // A manual notification holds other changes back until it ends, if it is made with a closure or a token, and its key is not an
            // observed property.
            let isByHand = unsafe header.pointee.origin == .scoped && info.list.with { $0.property == 0 }
            sourceWillChange(info.list, changed, event, limit: unsafe header.pointee.limit, isByHand ? .announcement : .change)
        case .after, .initial: sourceDidChange(info, changed, event, limit: unsafe header.pointee.limit)
        case .abandoned: sourceWasCancelled(info.list, changed)
        case .closed: sourceIsClosed(changed)
        }
        return true
    }

    /// `true` if a dependency is being mutated in place, so that an evaluation, which would read the property, would end the program.
    ///
    /// In a batch in which no mutation is under way, one search serves for all changes with the same dependencies. So many changes in a
    /// batch take time in proportion to their number. The caller holds the lock.
    var isDependencyOpen: Bool {
        let entry = safekvo_has_batch() ? ChangeBatch.entryWithoutMutations(of: listReference) : nil
        let version = unsafe table.version
        if let entry, entry.closedVersion == version { return false }
        let isOpen = unsafe table.dependencies.values.contains { unsafe $0.info.list.with { $0.isOpen.load(ordering: .relaxed) } }
        if !isOpen { entry?.closedVersion = version }
        return isOpen
    }

    var hasOpenDependency: Bool { lock.withLock { isDependencyOpen } }

    /// Returns `true` if an observer list is that of the key path's last property, whose changes are delivered without an evaluation.
    ///
    /// The caller holds the lock.
    private func isLeaf(_ source: Unretained<ObserverList>) -> Bool { unsafe !isStale && table.leaf == source.word }

    // MARK: Before

    /// Stores the serial number of the newest observer, before handlers are called before a change.
    ///
    /// Such a handler may register an observer, which must not be notified of this change.
    private func noteObservers(_ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>, limit: UInt32) {
        guard let root = living(changed) else { return }
        let limit = changed == subject ? limit : currentLimit
        lock.withLock {
            guard isActive else { return }
            unsafe openChanges.append(
                OpenChange(dependency: source.word, via: source.word, .upcoming, thread: safekvo_thread(), limit: limit, old: nil))
        }
        withExtendedLifetime(root) {}
    }

    /// Removes and returns the serial number that `noteObservers` has stored; nil if there is none.
    ///
    /// Observers with greater serial numbers are not notified of the change. The caller holds the lock.
    private func takeUpcoming(_ source: UInt, _ thread: UInt) -> UInt32? {
        unsafe openChanges.lastIndex { $0.dependency == source && $0.thread == thread && $0.meaning == .upcoming }.map {
            unsafe openChanges.remove(at: $0).limit
        }
    }

    private func sourceWillChange(
        _ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>, _ event: EventPointer, limit: UInt32,
        _ meaning: OpenChange.Meaning
    ) {
        guard let root = living(changed) else { return }
        let (isLeaf, noted): (Bool, UInt32?) = lock.withLock {
            let isLeaf = self.isLeaf(source)
            if !canEvaluate, !isLeaf { return (isLeaf, nil) }
            return (isLeaf, takeUpcoming(source.word, safekvo_thread()) ?? (changed == subject ? limit : currentLimit))
        }
        if let noted { steps.tellPrior(self, root, isLeaf ? event : nil, (source.word, source.word), meaning, noted) }
        withExtendedLifetime(root) {}
    }

    /// The serial number of the newest observer.
    ///
    /// A change that begins at this moment notifies this observer and all before it.
    var currentLimit: UInt32 { withList { $0.withRecord { $0.currentSerial } } }

    /// Calls observers of `\.self` before a manually notified change of the whole object.
    func entireObjectWillChange(_ root: AnyObject, limit: UInt32) {
        steps.tellPrior(self, root, nil, (listReference.word, listReference.word), .change, limit)
    }

    /// Notifies observers of `\.self` after a manually notified change of the whole object.
    func entireObjectDidChange(_ root: AnyObject) {
        let (open, recorder) = lock.withLock { (takeOpenChange(of: listReference.word), isActive ? makeRecorder() : nil) }
        if let recorder { steps.tell(self, root, recorder, open) }
    }

    /// Removes the stored beginning of a manual notification of `\.self`, because the notification was cancelled.
    func entireObjectWillNotChange() {
        let open = lock.withLock { takeOpenChange(of: listReference.word) }
        _ = consume open
    }

    /// Stores a change of a dependency as under way.
    @usableFromInline
    func open(_ source: (dependency: UInt, list: UInt), _ meaning: OpenChange.Meaning, _ limit: UInt32, old: AnyObject?) {
        let open = OpenChange(
            dependency: source.dependency, via: source.list, meaning, thread: safekvo_thread(), limit: limit, old: old)
        lock.withLock {
            // If another thread has dropped this dependency, the end of its manual notification never arrives here. A stored beginning
            // would then never be removed.
            if meaning == .announcement, source.list != listReference.word, !isFollowing(source.list) { return }
            unsafe openChanges.append(open)
            countAnnouncements()
        }
    }

    /// Returns `true` if the tracked path receives the events of the observer list with this address.
    ///
    /// The caller holds the lock.
    private func isFollowing(_ list: UInt) -> Bool {
        unsafe table.dependencies.values.contains { $0.info.list.word == list } || lingering.contains { $0.info.list.word == list }
    }

    /// Returns `true` if a registration follows a former dependency, only until a manual notification of it ends.
    ///
    /// The caller holds the lock.
    func isLingering(_ info: ObservationInfo?) -> Bool { unsafe lingering.contains { $0.info === info } }

    /// Handles the cancellation of a change: delivers changes that it held back, and follows the present dependencies.
    ///
    /// Does nothing if `mustEvaluate` is `false`.
    func endCancelled(_ open: OpenChange?, _ root: AnyObject, mustEvaluate: Bool) {
        guard mustEvaluate else { return }
        if let open, open.hasSwallowed {
            if safekvo_has_batch() { steps.postpone(self, root, open) } else { steps.tell(self, root, begin(), open) }
        } else {
            steps.evaluate(self, root)
        }
    }

    /// Updates ``announcements`` after ``openChanges`` has changed.
    ///
    /// The caller holds the lock.
    func countAnnouncements() {
        announcements.store(unsafe openChanges.count { $0.meaning == .announcement }, ordering: .relaxed)
    }

    /// Returns `true` if a manual notification under way on this thread will notify the observers when it ends.
    ///
    /// The caller then notifies nobody.
    ///
    /// - Parameter isChange: `true` if there is a change that the end of the notification must deliver; `false` if the caller only asks.
    func isToldLater(isChange: Bool = true) -> Bool {
        withList { $0.isChangingHere } || isInsideAnnouncement(isChange: isChange)
    }

    /// Returns `true` if a manual notification of a component is under way on this thread and holds other changes back.
    ///
    /// An observer that registered after it began is not notified of its end. If there is such an observer, the result is `false`, so that
    /// the change is delivered at once.
    private func isInsideAnnouncement(isChange: Bool) -> Bool {
        if announcements.load(ordering: .relaxed) == 0 { return false }
        let thread = safekvo_thread()
        let limit = lock.withLock { unsafe openChanges.first { $0.meaning == .announcement && $0.thread == thread }?.limit }
        guard let limit, withList({ list in list.firstInfo { !$0.isDependency && $0.isLinked(after: limit) } == nil }) else { return false }
        if isChange {
            lock.withLock {
                for index in unsafe openChanges.indices
                where unsafe openChanges[index].meaning == .announcement && openChanges[index].thread == thread {
                    unsafe openChanges[index].hasSwallowed = true
                }
            }
        }
        return true
    }

    /// Handles the cancellation of a change that has begun.
    ///
    /// The property may have changed nevertheless. So the key path is evaluated again, to follow the present dependencies.
    private func sourceWasCancelled(_ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>) {
        let (open, mustEvaluate) = lock.withLock {
            (takeOpenChange(of: source.word), canEvaluate)
        }
        if let root = living(changed) { withExtendedLifetime(root) { endCancelled(open, root, mustEvaluate: mustEvaluate) } }
        endLingering()
    }

    /// Removes and returns the change of a dependency that this thread has stored; nil if there is none.
    ///
    /// Called at the end of the change. The caller holds the lock.
    func takeOpenChange(of source: UInt) -> OpenChange? {
        if unsafe openChanges.isEmpty { return nil }
        let thread = safekvo_thread()
        guard let index = unsafe openChanges.lastIndex(where: { $0.dependency == source && $0.thread == thread }) else { return nil }
        let open = unsafe openChanges.remove(at: index)
        countAnnouncements()
        return open
    }

    // MARK: After

    /// Assigns the next serial number to a change of the key path's value and returns it.
    @usableFromInline
    func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Must be called after the value was read for the change with this serial number.
    @usableFromInline
    func noteRead(after number: UInt64) { withList { $0.noteRead(after: number) } }

    /// Assigns a serial number to a change of the key path's last property and returns it.
    ///
    /// If the property has changed again since, returns the number that marks an outdated change.
    private func numberChange(of source: Unretained<ObserverList>, _ event: EventPointer) -> UInt64 {
        // Take the number before looking for a newer change. So a change that is made after this line gets a greater number.
        let own = numberChange()
        // SAFETY: the event begins with the header. The sender of the event keeps the list alive.
        let number = unsafe event.assumingType(KeyValueEventHeader.self).pointee.number
        let isOvertaken = unsafe number != 0 && source.with { $0.lastChange } > number
        // Another thread may be replacing the object that has the property. That change may be the newer one but have the smaller number.
        let isCertain = lock.withLock { unsafe table.isSettled && isLeaf(source) }
        if isOvertaken || !isCertain { withList { $0.readAgain() } }
        return isOvertaken ? ObserverList.numberOfOvertaken : own
    }

    /// The reaction of the tracked path to a change.
    enum Step {
        case nothing
        /// Evaluate first, because the changed property may be a former dependency. Then choose a step again.
        case examine
        /// Evaluate the key path and follow what it reads, but notify no observer.
        case follow
        case tellLeaf
        case evaluate(DependencyRecorder)
        case postpone
    }

    /// Handles the change of a dependency.
    ///
    /// - Parameters:
    ///   - info: The registration that received the change.
    ///   - changed: The object that has changed.
    ///   - event: The change.
    ///   - limit: The serial number of the newest observer of `changed` when the change began.
    private func sourceDidChange(_ info: ObservationInfo, _ changed: Unretained<AnyObject>, _ event: EventPointer, limit: UInt32) {
        let source = info.list
        let isBatch = safekvo_has_batch()
        guard let root = living(changed) else { return }
        var (step, open) = nextStep(info, changed, limit, isBatch: isBatch, isExamined: false)
        if case .examine = step {
            if isFormer(source, root, isBatch) { return }
            (step, open) = nextStep(info, changed, limit, isBatch: isBatch, isExamined: true)
        }
        if case .tellLeaf = step {
            steps.tellLeaf(self, root, event, open, numberChange(of: source, event))
        } else {
            perform(step, open, root)
        }
        withExtendedLifetime(root) {}
        endLingering()
    }

    /// Carries out a step, except ``Step/tellLeaf``, which the caller carries out.
    func perform(_ step: Step, _ open: OpenChange?, _ root: AnyObject) {
        switch step {
        case .nothing, .examine, .tellLeaf: break
        case .follow: steps.evaluate(self, root)
        case .evaluate(let recorder): steps.tell(self, root, recorder, open)
        case .postpone:
            if !isToldLater() { steps.postpone(self, root, open) }
            // An observer that registered after the change began must be notified of the next change. So evaluate here, to follow the
            // present dependencies.
            if let open, open.limit != currentLimit { steps.evaluate(self, root) }
        }
    }

    /// Returns the step that a change requires, and the change that was stored when it began, if any.
    private func nextStep(
        _ info: ObservationInfo, _ changed: Unretained<AnyObject>, _ limit: UInt32, isBatch: Bool, isExamined: Bool
    ) -> (Step, OpenChange?) {
        lock.withLock {
            if !isExamined, mayFollowFormer { return (.examine, nil) }
            let open = takeOpenChange(of: info.list.word) ?? changeUnannounced(to: info, changed, limit)
            if isLeaf(info.list) { return (.tellLeaf, open) }
            return (stepIfTold(open, info, isBatch: isBatch), open)
        }
    }

    /// Returns the step for a change that requires an evaluation: at once, at the end of the batch, later, or not at all.
    ///
    /// The caller holds the lock.
    func stepIfTold(_ open: OpenChange?, _ info: ObservationInfo?, isBatch: Bool) -> Step {
        // A former dependency is followed only until its manual notification ends. That end matters only if the notification held changes
        // back.
        if unsafe !isActive || !lingering.isEmpty && isLingering(info) && !(open?.hasSwallowed ?? false) { return .nothing }
        if leavesItToWhoeverIsAtIt() { return .nothing }
        if isBatch { isStale = true }
        return isBatch ? .postpone : .evaluate(makeRecorder())
    }

    /// Returns `true` if the key path cannot be evaluated at this point, and arranges for a later evaluation.
    ///
    /// Either this thread is already evaluating it, or a dependency is being mutated in place. The caller holds the lock.
    func leavesItToWhoeverIsAtIt() -> Bool {
        if unsafe table.isEvaluating(on: safekvo_thread()) {
            unsafe table.disturb(on: safekvo_thread())
            return true
        }
        let mustWait = isDependencyOpen
        if mustWait { isWaiting = true }
        return mustWait
    }

    /// `true` if a batch has delayed an evaluation that is possible at this point.
    ///
    /// The tracked path may still follow former dependencies until then. The caller holds the lock.
    private var mayFollowFormer: Bool { isStale && canEvaluate }

    /// Returns an ``OpenChange`` for a change whose beginning the tracked path did not receive.
    ///
    /// It determines which observers are notified. If the tracked path began to follow the dependency after the change began, these are the
    /// observers that existed when it did so. If the observed object itself has changed, these are the observers that existed when the
    /// change began. In any other case, the result is nil. The caller holds the lock.
    func changeUnannounced(to info: ObservationInfo, _ changed: Unretained<AnyObject>, _ limit: UInt32) -> OpenChange? {
        var known: UInt32?
        if info.isLinked(after: limit) {
            known = unsafe table.dependencies.values.first { $0.info === info }?.followedAt
        } else if changed == subject {
            known = limit
        }
        return known.map {
            OpenChange(dependency: info.list.word, via: info.list.word, .change, thread: safekvo_thread(), limit: $0, old: nil)
        }
    }

    /// Evaluates the key path, and returns `true` if the changed property turns out to be a former dependency.
    ///
    /// A batch delays evaluations, so the tracked path may still follow former dependencies. Inside the batch, this matters only to
    /// observers that registered after an earlier change in it: all others are notified anyway. Without such an observer, the function
    /// returns `false` and evaluates nothing.
    private func isFormer(_ source: Unretained<ObserverList>, _ root: AnyObject, _ isBatch: Bool) -> Bool {
        if isBatch, !(ChangeBatch.current?.entry(of: listReference)?.needsOldValue(currentLimit) ?? false) { return false }
        steps.evaluate(self, root)
        return lock.withLock { unsafe !table.dependencies.values.contains { $0.info.list == source } }
    }

    /// Evaluates the key path and notifies its observers, if an evaluation has waited for the end of a mutation in place.
    private func sourceIsClosed(_ changed: Unretained<AnyObject>) {
        guard let root = living(changed) else { return }
        let recorder = lock.withLock { isWaiting && isActive && !isDependencyOpen ? makeRecorder() : nil }
        if let recorder { withExtendedLifetime(root) { steps.tell(self, root, recorder, nil) } }
    }

    // MARK: Notifications

    @usableFromInline
    var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    /// Returns `true` if observers are to be called before a change.
    ///
    /// The result is `false` if another manual notification under way will notify them when it ends.
    ///
    /// - Parameter source: The address of the observer list or of the manual notification that changes.
    @usableFromInline
    func wantsPriorCalls(of source: UInt) -> Bool {
        withList({ $0.wantsPriorCalls }) && (source == listReference.word || !isToldLater(isChange: false))
    }

    /// Begins a delivery to the observers before a change; returns nil if the observed object is being deallocated.
    ///
    /// The caller has checked ``wantsPriorCalls(of:)``.
    ///
    /// - Parameter limit: The serial number of the last observer that is called.
    @usableFromInline
    func deliveryBefore(upTo limit: UInt32) -> Delivery? { Delivery(to: listReference, limit: limit) }

    /// Begins a delivery to the observers after a change.
    ///
    /// - Parameter limit: The serial number of the last observer that is notified; nil to notify all.
    /// - Returns: The delivery; nil if the observed object is being deallocated, or if the change is part of a manual notification.
    @usableFromInline
    func delivery(upTo limit: UInt32?) -> Delivery? { isToldLater() ? nil : Delivery(to: listReference, limit: limit) }
}
