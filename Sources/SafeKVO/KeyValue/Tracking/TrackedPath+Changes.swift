internal import CSafeKVO
internal import Synchronization

/// Handles changes of the properties that the key path depends on, and notifies the observers of the key path.
extension TrackedPath {
    /// Handles an event of a dependency; returns `false` if the event does not concern the key path.
    func dependencyChanged(_ info: ObservationInfo, _ event: EventPointer) -> Bool {
        // SAFETY: every event of a key path begins with the header, whatever the type of its value.
        let header = unsafe event.assumingType(KeyValueEventHeader.self)
        if info.flags.contains(.onlyByHand), unsafe !header.pointee.isByHand { return false }
        if unsafe info.list.with({ $0.isOfAnnouncements }) {
            hear(info, unsafe event.assumingType(KeyAnnouncement.self).pointee)
            return true
        }
        let changed = unsafe header.pointee.subject
        // The observers get a manual notification of the observed key path directly. So ignore the same notification when it also
        // arrives as the change of a dependency.
        if unsafe header.pointee.isByHand, changed == subject, unsafe info.list.with({ $0.isDependent && $0.isAnnounced(by: keyPath) }) {
            return true
        }
        switch unsafe header.pointee.phase {
        case .upcoming: noteObservers(info.list, changed, limit: unsafe header.pointee.limit)
        case .prior:
            // This thread's other changes of the key path wait for the end of an `.announcement`. A manual notification that may never
            // end (not `.scoped`) counts as a `.change`, which delays nothing.
            let isByHand = unsafe header.pointee.origin == .scoped && info.list.with { $0.property == 0 }
            sourceWillChange(info.list, changed, event, limit: unsafe header.pointee.limit, isByHand ? .announcement : .change)
        case .after, .initial: sourceDidChange(info, changed, event, limit: unsafe header.pointee.limit)
        case .abandoned: sourceWasCancelled(info.list, changed)
        case .closed: sourceIsClosed(changed)
        }
        return true
    }

    /// `true` if a dependency is being mutated in place, so that an evaluation would end the program; the caller holds the lock.
    var isDependencyOpen: Bool {
        let entry = safekvo_has_batch() ? ChangeBatch.entryWithoutMutations(of: listReference) : nil
        let version = unsafe table.version
        if let entry, entry.closedVersion == version { return false }
        let isOpen = unsafe table.dependencies.values.contains { unsafe $0.info.list.with { $0.isOpen.load(ordering: .relaxed) } }
        if !isOpen { entry?.closedVersion = version }
        return isOpen
    }

    var hasOpenDependency: Bool { lock.withLock { isDependencyOpen } }

    /// Returns `true` if `source` belongs to the key path's last property, whose new value is also the key path's value.
    ///
    /// `false` while the dependencies may be out of date. The caller holds the lock.
    private func isLeaf(_ source: Unretained<ObserverList>) -> Bool { unsafe !isStale && table.leaf == source.word }

    // MARK: Before

    /// Stores the serial number of the newest observer before a change begins.
    ///
    /// Handlers that run before the change may register more observers, which must not be notified of the change.
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

    /// Returns the newest observer's serial number that `noteObservers` has stored for a coming change, and removes the entry.
    ///
    /// The caller holds the lock.
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

    /// A change that begins now notifies observers up to this serial number.
    var currentLimit: UInt32 { withList { $0.withRecord { $0.currentSerial } } }

    func entireObjectWillChange(_ root: AnyObject, limit: UInt32) {
        steps.tellPrior(self, root, nil, (listReference.word, listReference.word), .change, limit)
    }

    func entireObjectDidChange(_ root: AnyObject) {
        let (open, recorder) = lock.withLock { (takeOpenChange(of: listReference.word), isActive ? makeRecorder() : nil) }
        if let recorder { steps.tell(self, root, recorder, open) }
    }

    func entireObjectWillNotChange() {
        let open = lock.withLock { takeOpenChange(of: listReference.word) }
        _ = consume open
    }

    /// Stores a change that has begun, until ``takeOpenChange(of:)`` removes it at the end of the change.
    @usableFromInline
    func open(_ source: (dependency: UInt, list: UInt), _ meaning: OpenChange.Meaning, _ limit: UInt32, old: AnyObject?) {
        let open = OpenChange(
            dependency: source.dependency, via: source.list, meaning, thread: safekvo_thread(), limit: limit, old: old)
        lock.withLock {
            // A stored manual notification is removed when its end is reported. If another thread has removed the dependency, the end is
            // not reported, so do not store the beginning.
            if meaning == .announcement, source.list != listReference.word, !isFollowing(source.list) { return }
            unsafe openChanges.append(open)
            countAnnouncements()
        }
    }

    /// Returns `true` if the key path is registered with the observer list at this address; the caller holds the lock.
    private func isFollowing(_ list: UInt) -> Bool {
        unsafe table.dependencies.values.contains { $0.info.list.word == list } || lingering.contains { $0.info.list.word == list }
    }

    /// Returns `true` if `info` is kept only until a manual notification ends; the caller holds the lock.
    func isLingering(_ info: ObservationInfo?) -> Bool { unsafe lingering.contains { $0.info === info } }

    /// Handles a cancelled change; notifies the observers only if other changes have waited for its end.
    func endCancelled(_ open: OpenChange?, _ root: AnyObject, mustEvaluate: Bool) {
        guard mustEvaluate else { return }
        if let open, open.hasSwallowed {
            if safekvo_has_batch() { steps.postpone(self, root, open) } else { steps.tell(self, root, begin(), open) }
        } else {
            steps.evaluate(self, root)
        }
    }

    /// Updates ``announcements`` after a change of `openChanges`; the caller holds the lock.
    func countAnnouncements() {
        announcements.store(unsafe openChanges.count { $0.meaning == .announcement }, ordering: .relaxed)
    }

    /// Returns `true` if a manual notification on this thread will notify the observers when it ends.
    ///
    /// `isChange` is `true` if there is a change to deliver then.
    func isToldLater(isChange: Bool = true) -> Bool {
        withList { $0.isChangingHere } || isInsideAnnouncement(isChange: isChange)
    }

    /// Returns `true` if a change must wait until this thread ends a manual notification.
    ///
    /// If an observer has registered since the notification began, the result is `false`, because the end would not notify that observer.
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

    private func sourceWasCancelled(_ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>) {
        let (open, mustEvaluate) = lock.withLock {
            (takeOpenChange(of: source.word), canEvaluate)
        }
        if let root = living(changed) { withExtendedLifetime(root) { endCancelled(open, root, mustEvaluate: mustEvaluate) } }
        endLingering()
    }

    /// Removes and returns the stored change of a dependency, if this thread has stored one; the caller holds the lock.
    func takeOpenChange(of source: UInt) -> OpenChange? {
        if unsafe openChanges.isEmpty { return nil }
        let thread = safekvo_thread()
        guard let index = unsafe openChanges.lastIndex(where: { $0.dependency == source && $0.thread == thread }) else { return nil }
        let open = unsafe openChanges.remove(at: index)
        countAnnouncements()
        return open
    }

    // MARK: After

    /// Returns the next serial number for a change of the key path's value.
    @usableFromInline
    func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Makes observers read the value again if a change with a number greater than `number` was made meanwhile.
    @usableFromInline
    func noteRead(after number: UInt64) { withList { $0.noteRead(after: number) } }

    /// Returns a serial number for a change, or `ObserverList.numberOfOvertaken` if the property has already changed again.
    private func numberChange(of source: Unretained<ObserverList>, _ event: EventPointer) -> UInt64 {
        // Take the number before the checks below. A newer change that they miss then gets a greater number.
        let own = numberChange()
        // SAFETY: the event begins with the header. The sender of the event keeps the list alive.
        let number = unsafe event.assumingType(KeyValueEventHeader.self).pointee.number
        let isOvertaken = unsafe number != 0 && source.with { $0.lastChange } > number
        // If another thread replaces the property's owner now, the numbers of the two changes may be in the wrong order. Then `isCertain`
        // is `false`, and observers read the value again.
        let isCertain = lock.withLock { unsafe table.isSettled && isLeaf(source) }
        if isOvertaken || !isCertain { withList { $0.readAgain() } }
        return isOvertaken ? ObserverList.numberOfOvertaken : own
    }

    /// The reaction of an observed key path to the change of a dependency.
    enum Step {
        case nothing
        /// Evaluate the key path, because it may no longer depend on the changed property; then choose another step.
        case examine
        /// Evaluate the key path to find its dependencies, but notify no observer.
        case follow
        case tellLeaf
        case evaluate(DependencyRecorder)
        case postpone
    }

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

    /// Reacts to a change as `step` says, for example by evaluating the key path and notifying the observers.
    ///
    /// Ignores ``Step/tellLeaf``, because only the caller has the event that this step needs.
    func perform(_ step: Step, _ open: OpenChange?, _ root: AnyObject) {
        switch step {
        case .nothing, .examine, .tellLeaf: break
        case .follow: steps.evaluate(self, root)
        case .evaluate(let recorder): steps.tell(self, root, recorder, open)
        case .postpone:
            if !isToldLater() { steps.postpone(self, root, open) }
            // The batch evaluates the key path only at its end, and until then the dependencies may be out of date. But an observer that
            // registered during this change must not miss the next one. So find the present dependencies now.
            if let open, open.limit != currentLimit { steps.evaluate(self, root) }
        }
    }

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

    /// Returns the step for a change that needs an evaluation: now, at the end of the batch, or never; the caller holds the lock.
    func stepIfTold(_ open: OpenChange?, _ info: ObservationInfo?, isBatch: Bool) -> Step {
        if unsafe !isActive || !lingering.isEmpty && isLingering(info) && !(open?.hasSwallowed ?? false) { return .nothing }
        if leavesItToWhoeverIsAtIt() { return .nothing }
        if isBatch { isStale = true }
        return isBatch ? .postpone : .evaluate(makeRecorder())
    }

    /// Returns `true` if the key path cannot be evaluated now, and arranges a later evaluation; the caller holds the lock.
    func leavesItToWhoeverIsAtIt() -> Bool {
        if unsafe table.isEvaluating(on: safekvo_thread()) {
            unsafe table.disturb(on: safekvo_thread())
            return true
        }
        let mustWait = isDependencyOpen
        if mustWait { isWaiting = true }
        return mustWait
    }

    /// `true` if the dependencies may be out of date, because a batch has delayed an evaluation that is possible now.
    ///
    /// The caller holds the lock.
    private var mayFollowFormer: Bool { isStale && canEvaluate }

    /// Makes an ``OpenChange`` for a change whose beginning was not reported to the key path.
    ///
    /// The result leaves out observers that registered later. If the result is nil, all observers are notified. The caller holds the lock.
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

    /// Returns `true` if an evaluation shows that the key path no longer depends on the changed property.
    private func isFormer(_ source: Unretained<ObserverList>, _ root: AnyObject, _ isBatch: Bool) -> Bool {
        if isBatch, !(ChangeBatch.current?.entry(of: listReference)?.needsOldValue(currentLimit) ?? false) { return false }
        steps.evaluate(self, root)
        return lock.withLock { unsafe !table.dependencies.values.contains { $0.info.list == source } }
    }

    private func sourceIsClosed(_ changed: Unretained<AnyObject>) {
        guard let root = living(changed) else { return }
        let recorder = lock.withLock { isWaiting && isActive && !isDependencyOpen ? makeRecorder() : nil }
        if let recorder { withExtendedLifetime(root) { steps.tell(self, root, recorder, nil) } }
    }

    // MARK: Notifications

    @usableFromInline
    var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    /// Returns `true` if an observer wants a call before this change, unless a manual notification will deliver the change.
    @usableFromInline
    func wantsPriorCalls(of source: UInt) -> Bool {
        withList({ $0.wantsPriorCalls }) && (source == listReference.word || !isToldLater(isChange: false))
    }

    /// Begins to call observers up to the serial number `limit` before a change; returns nil if the observed object is being deallocated.
    @usableFromInline
    func deliveryBefore(upTo limit: UInt32) -> Delivery? { Delivery(to: listReference, limit: limit) }

    /// Begins to notify observers up to the serial number `limit`, or all if `limit` is nil.
    ///
    /// Returns nil if the observed object is being deallocated, or if a manual notification will deliver the change.
    @usableFromInline
    func delivery(upTo limit: UInt32?) -> Delivery? { isToldLater() ? nil : Delivery(to: listReference, limit: limit) }
}
