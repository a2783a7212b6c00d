internal import CSafeKVO
internal import Synchronization

/// Handles changes of the dependencies, and notifies the observers of the tracked path.
extension TrackedPath {
    /// Handles an event of a dependency.
    ///
    /// - Returns: `false` if the event does not concern the tracked path.
    func dependencyChanged(_ info: ObservationInfo, _ event: EventPointer) -> Bool {
        // SAFETY: every event of a key path begins with the header, whatever the type of its value.
        let header = unsafe event.assumingType(KeyValueEventHeader.self)
        // This info is for manual notifications. The tracked path receives every other change from the property that causes it.
        if info.flags.contains(.onlyByHand), unsafe !header.pointee.isByHand { return false }
        if unsafe info.list.with({ $0.isOfAnnouncements }) {
            hear(info, unsafe event.assumingType(KeyAnnouncement.self).pointee)
            return true
        }
        let changed = unsafe header.pointee.subject
        // A manual notification of the tracked path's own key also reaches the property with this key. The path handles that notification
        // separately, so it ignores this event.
        if unsafe header.pointee.isByHand, changed == subject, unsafe info.list.with({ $0.isDependent && $0.isAnnounced(by: keyPath) }) {
            return true
        }
        switch unsafe header.pointee.phase {
        case .upcoming: noteObservers(info.list, changed, limit: unsafe header.pointee.limit)
        case .prior:
            // Only a manual notification in a closure or by a token holds other changes back until it ends. Its key must not be an observed
            // property.
            let isByHand = unsafe header.pointee.origin == .scoped && info.list.with { $0.property == 0 }
            sourceWillChange(info.list, changed, event, limit: unsafe header.pointee.limit, isByHand ? .announcement : .change)
        case .after, .initial: sourceDidChange(info, changed, event, limit: unsafe header.pointee.limit)
        case .abandoned: sourceWasCancelled(info.list, changed)
        case .closed: sourceIsClosed(changed)
        }
        return true
    }

    /// `true` if a dependency is being mutated in place.
    ///
    /// Evaluating the key path would read that property, and Swift would end the program. The tracked path is informed when the mutation
    /// ends. The caller holds the lock.
    var isDependencyOpen: Bool {
        unsafe table.dependencies.values.contains { unsafe $0.info.list.with { $0.isOpen.load(ordering: .relaxed) } }
    }

    /// Returns `true` if an observer list is that of the key path's last property, whose changes are passed on as they are.
    ///
    /// The caller holds the lock.
    private func isLeaf(_ source: Unretained<ObserverList>) -> Bool { unsafe !isStale && table.leaf == source.word }

    // MARK: Before

    /// Records which observers the tracked path has, before handlers are called before a change.
    ///
    /// Such a handler may add an observer, which must not be notified of this change.
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

    /// Removes the record of the observers before a change, and returns its cutoff serial.
    ///
    /// The cutoff serial is the serial number of the last observer that is notified. The caller holds the lock.
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
    /// A change that begins at this moment notifies the observers up to this one.
    var currentLimit: UInt32 { withList { $0.withRecord { $0.currentSerial } } }

    /// Calls observers before a manual notification of `\.self`, whatever class its key path starts at.
    func entireObjectWillChange(_ root: AnyObject, limit: UInt32) {
        steps.tellPrior(self, root, nil, (listReference.word, listReference.word), .change, limit)
    }

    /// Delivers a manual notification of `\.self`, whatever class its key path starts at.
    func entireObjectDidChange(_ root: AnyObject) {
        let (open, recorder) = lock.withLock { (takeOpenChange(of: listReference.word), isActive ? makeRecorder() : nil) }
        if let recorder { steps.tell(self, root, recorder, open) }
    }

    /// Forgets that a manual notification of `\.self` has begun, because it was cancelled.
    func entireObjectWillNotChange() {
        let open = lock.withLock { takeOpenChange(of: listReference.word) }
        _ = consume open
    }

    /// Notes that the change of a dependency is under way.
    @usableFromInline
    func open(_ source: (dependency: UInt, list: UInt), _ meaning: OpenChange.Meaning, _ limit: UInt32, old: AnyObject?) {
        let open = OpenChange(
            dependency: source.dependency, via: source.list, meaning, thread: safekvo_thread(), limit: limit, old: old)
        lock.withLock {
            // Another thread may have found meanwhile that the tracked path leads through other objects. The path then receives no end of
            // this notification, so it does not note the beginning.
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

    /// Returns `true` if an info follows a former dependency until a manual notification of it ends.
    ///
    /// The caller holds the lock.
    func isLingering(_ info: ObservationInfo?) -> Bool { unsafe lingering.contains { $0.info === info } }

    /// Ends a manual notification that was cancelled: delivers changes that it held back, and follows the present dependencies.
    func endCancelled(_ open: OpenChange?, _ root: AnyObject, mustEvaluate: Bool) {
        guard mustEvaluate else { return }
        if let open, open.hasSwallowed {
            if safekvo_has_batch() { steps.postpone(self, root, open) } else { steps.tell(self, root, begin(), open) }
        } else {
            steps.evaluate(self, root)
        }
    }

    /// Updates the count of manual notifications under way, after ``openChanges`` has changed.
    ///
    /// The caller holds the lock.
    func countAnnouncements() {
        announcements.store(unsafe openChanges.count { $0.meaning == .announcement }, ordering: .relaxed)
    }

    /// Looks for a manual notification on this thread whose end notifies the observers of all changes until then.
    ///
    /// - Parameter isChange: `true` if something has changed, and observers are to be notified of it at that end.
    /// - Returns: `true` if there is one.
    func isToldLater(isChange: Bool = true) -> Bool {
        withList { $0.isChangingHere } || isInsideAnnouncement(isChange: isChange)
    }

    /// Returns `true` if a manual notification of a component is under way on this thread and holds other changes back.
    ///
    /// An observer that has registered since its beginning is not notified of its end. If there is such an observer, the result is `false`,
    /// so that a change is delivered at once.
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

    /// Forgets a change that has begun and will not be delivered.
    ///
    /// Something may have changed nevertheless. So the key path is evaluated again, and the tracked path follows the present dependencies.
    private func sourceWasCancelled(_ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>) {
        let (open, mustEvaluate) = lock.withLock {
            (takeOpenChange(of: source.word), canEvaluate)
        }
        if let root = living(changed) { withExtendedLifetime(root) { endCancelled(open, root, mustEvaluate: mustEvaluate) } }
        endLingering()
    }

    /// Removes and returns what was noted at the beginning of a change on this thread, when its end arrives.
    ///
    /// The caller holds the lock.
    func takeOpenChange(of source: UInt) -> OpenChange? {
        if unsafe openChanges.isEmpty { return nil }
        let thread = safekvo_thread()
        guard let index = unsafe openChanges.lastIndex(where: { $0.dependency == source && $0.thread == thread }) else { return nil }
        let open = unsafe openChanges.remove(at: index)
        countAnnouncements()
        return open
    }

    // MARK: After

    /// Returns the number of a new change of the key path's value.
    @usableFromInline
    func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Returns a number for a change of the key path's last property.
    ///
    /// If the property has changed again since, this is the number of an outdated change.
    private func numberChange(of source: Unretained<ObserverList>, _ event: EventPointer) -> UInt64 {
        // The tracked path takes its number before it looks for a newer change. So a change that is made after this line gets a greater
        // number.
        let own = numberChange()
        // SAFETY: the event begins with the header. The sender of the event keeps the list alive.
        let number = unsafe event.assumingType(KeyValueEventHeader.self).pointee.number
        let isOvertaken = unsafe number != 0 && source.with { $0.lastChange } > number
        return isOvertaken ? ObserverList.numberOfOvertaken : own
    }

    /// The reaction of the tracked path to a change.
    enum Step {
        case nothing
        /// Find out whether the change is that of a former dependency, and decide again.
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
    ///   - limit: The serial number of the last observer of the changed object when the change began.
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

    /// Carries out the reaction to a change, except ``Step/tellLeaf``, which the caller carries out.
    func perform(_ step: Step, _ open: OpenChange?, _ root: AnyObject) {
        switch step {
        case .nothing, .examine, .tellLeaf: break
        case .follow: steps.evaluate(self, root)
        case .evaluate(let recorder): steps.tell(self, root, recorder, open)
        case .postpone:
            if !isToldLater() { steps.postpone(self, root, open) }
            // An observer that registered after the change began must get the next change. So the key path is evaluated here, to follow the
            // present dependencies.
            if let open, open.limit != currentLimit { steps.evaluate(self, root) }
        }
    }

    /// Returns the reaction to a change, and what was noted at its beginning.
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

    /// Returns the reaction to a change that makes a new evaluation necessary.
    ///
    /// The caller holds the lock.
    func stepIfTold(_ open: OpenChange?, _ info: ObservationInfo?, isBatch: Bool) -> Step {
        // A former dependency is followed only for the end of its manual notification. That end delivers only changes that it held back.
        if unsafe !isActive || !lingering.isEmpty && isLingering(info) && !(open?.hasSwallowed ?? false) { return .nothing }
        if leavesItToWhoeverIsAtIt() { return .nothing }
        if isBatch { isStale = true }
        return isBatch ? .postpone : .evaluate(makeRecorder())
    }

    /// Returns `true` if the key path cannot be evaluated at this point, and will be evaluated later.
    ///
    /// The reason is an evaluation in progress on this thread, or a mutation in place of a dependency. The caller holds the lock.
    func leavesItToWhoeverIsAtIt() -> Bool {
        if unsafe table.isEvaluating(on: safekvo_thread()) {
            unsafe table.disturb(on: safekvo_thread())
            return true
        }
        let mustWait = isDependencyOpen
        if mustWait { isWaiting = true }
        return mustWait
    }

    /// `true` if a batch has delayed an evaluation, and the key path can be evaluated at this point.
    ///
    /// The tracked path may then still follow former dependencies. The caller holds the lock.
    private var mayFollowFormer: Bool { isStale && canEvaluate }

    /// Returns which observers are notified of a change whose beginning the tracked path did not receive.
    ///
    /// If the path began to follow the dependency after the change began, these are the observers at that time. If the observed object
    /// itself has changed, these are the observers at the beginning of the change. In any other case, the result is nil. The caller holds
    /// the lock.
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

    /// Returns `true` if a change is that of a former dependency.
    ///
    /// A batch delays evaluations, so the tracked path may still follow former dependencies. Inside the batch, this matters only to
    /// observers that registered since another change in it. The others are notified in any case.
    private func isFormer(_ source: Unretained<ObserverList>, _ root: AnyObject, _ isBatch: Bool) -> Bool {
        if isBatch, !(ChangeBatch.current?.entry(of: listReference)?.needsOldValue(currentLimit) ?? false) { return false }
        steps.evaluate(self, root)
        return lock.withLock { unsafe !table.dependencies.values.contains { $0.info.list == source } }
    }

    /// Makes up for an evaluation that had to wait for the end of a mutation in place.
    ///
    /// The mutation itself has notified no observer. So the key path is evaluated, and its observers are notified.
    private func sourceIsClosed(_ changed: Unretained<AnyObject>) {
        guard let root = living(changed) else { return }
        let recorder = lock.withLock { isWaiting && isActive && !isDependencyOpen ? makeRecorder() : nil }
        if let recorder { withExtendedLifetime(root) { steps.tell(self, root, recorder, nil) } }
    }

    // MARK: Notifications

    @usableFromInline
    var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    /// Decides whether observers are to be called before a change.
    ///
    /// During a manual notification of the tracked path itself, only that notification calls observers.
    ///
    /// - Parameter source: The address of the observer list or of the manual notification that changes.
    /// - Returns: `true` if they are to be called.
    @usableFromInline
    func wantsPriorCalls(of source: UInt) -> Bool {
        withList({ $0.wantsPriorCalls }) && (source == listReference.word || !isToldLater(isChange: false))
    }

    /// Begins a delivery to the tracked path's observers before a change, which ``wantsPriorCalls(of:)`` has allowed.
    ///
    /// - Parameter limit: The serial number of the last observer that is notified.
    /// - Returns: The delivery; nil if the observed object is being deallocated.
    @usableFromInline
    func deliveryBefore(upTo limit: UInt32) -> Delivery? { Delivery(to: listReference, limit: limit) }

    /// Begins a delivery to the tracked path's observers after a change.
    ///
    /// - Parameter limit: The serial number of the last observer that is notified, if it was noted before the change.
    /// - Returns: The delivery; nil if the observed object is being deallocated, or if the change is part of a manual notification.
    @usableFromInline
    func delivery(upTo limit: UInt32?) -> Delivery? { isToldLater() ? nil : Delivery(to: listReference, limit: limit) }
}
