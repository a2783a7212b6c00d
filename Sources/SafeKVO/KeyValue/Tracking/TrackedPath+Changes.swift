internal import CSafeKVO
internal import Synchronization

/// Hearing of the changes of dependencies, and telling those of the path.
extension TrackedPath {
    /// Hears of a change of a dependency.
    ///
    /// - Returns: false if it is none of the path's business.
    func dependencyChanged(_ info: ObservationInfo, _ event: EventPointer) -> Bool {
        // SAFETY: the header is the first thing in every event of a key path, whatever the type of the value.
        let header = unsafe event.assumingType(KeyValueEventHeader.self)
        // What the library found to have changed the path follows at its source.
        if info.flags.contains(.onlyByHand), unsafe !header.pointee.isByHand { return false }
        if unsafe info.list.with({ $0.isOfAnnouncements }) {
            hear(info, unsafe event.assumingType(KeyAnnouncement.self).pointee)
            return true
        }
        let changed = unsafe header.pointee.subject
        // A manual notification of the property is one of the path, which has its own part of it.
        if unsafe header.pointee.isByHand, changed == subject, unsafe info.list.with({ $0.isDependent && $0.isAnnounced(by: keyPath) }) {
            return true
        }
        switch unsafe header.pointee.phase {
        case .upcoming: noteObservers(info.list, changed, limit: unsafe header.pointee.limit)
        case .prior:
            // A property that is announced by hand tells its changes as usual otherwise, and so does what hangs on it.
            let isByHand = unsafe header.pointee.origin == .scoped && info.list.with { $0.property == 0 }
            sourceWillChange(info.list, changed, event, limit: unsafe header.pointee.limit, isByHand ? .announcement : .change)
        case .after, .initial: sourceDidChange(info, changed, event, limit: unsafe header.pointee.limit)
        case .abandoned: sourceWasCancelled(info.list, changed)
        case .closed: sourceIsClosed(changed)
        }
        return true
    }

    /// Whether a dependency is open for change in place (under the lock).
    ///
    /// To evaluate would read it and trap; the end of that change will tell.
    var isDependencyOpen: Bool {
        unsafe table.dependencies.values.contains { unsafe $0.info.list.with { $0.isOpen.load(ordering: .relaxed) } }
    }

    /// Whether a list is that of the last hop of a chain (under the lock).
    private func isLeaf(_ source: Unretained<ObserverList>) -> Bool { unsafe !isStale && table.leaf == source.word }

    // MARK: Before

    /// Notes who observes, before anybody is called before a change.
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

    /// Takes out what was noted before calls before a change (under the lock), to be replaced by what is known now.
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

    /// Those who observe now are the ones to hear of a change that begins now.
    var currentLimit: UInt32 { withList { $0.withRecord { $0.currentSerial } } }

    /// Delivers the prior call of a manual notification about the whole object, whatever class it was written with.
    func entireObjectWillChange(_ root: AnyObject, limit: UInt32) {
        steps.tellPrior(self, root, nil, (listReference.word, listReference.word), .change, limit)
    }

    /// Delivers a manual notification about the whole object, whatever class it was written with.
    func entireObjectDidChange(_ root: AnyObject) {
        let (open, recorder) = lock.withLock { (takeOpenChange(of: listReference.word), isActive ? makeRecorder() : nil) }
        if let recorder { steps.tell(self, root, recorder, open) }
    }

    /// Forgets a manual notification about the whole object that was cancelled.
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
            // Another thread may have found meanwhile that the path leads elsewhere. Then nobody hears of the end.
            if meaning == .announcement, source.list != listReference.word, !isFollowing(source.list) { return }
            unsafe openChanges.append(open)
            countAnnouncements()
        }
    }

    /// `true` if the path hears of the changes of a list (under the lock).
    private func isFollowing(_ list: UInt) -> Bool {
        unsafe table.dependencies.values.contains { $0.info.list.word == list } || lingering.contains { $0.info.list.word == list }
    }

    /// `true` if what an info follows is no dependency any more, and was when the program announced a change of it (under the lock).
    func isLingering(_ info: ObservationInfo?) -> Bool { unsafe lingering.contains { $0.info === info } }

    /// Ends an announcement that was cancelled: tells what was left to its end, and follows what is there now.
    func endCancelled(_ open: OpenChange?, _ root: AnyObject, mustEvaluate: Bool) {
        guard mustEvaluate else { return }
        if let open, open.hasSwallowed {
            if safekvo_has_batch() { steps.postpone(self, root, open) } else { steps.tell(self, root, begin(), open) }
        } else {
            steps.evaluate(self, root)
        }
    }

    /// Counts what the program has announced (under the lock).
    func countAnnouncements() {
        announcements.store(unsafe openChanges.count { $0.meaning == .announcement }, ordering: .relaxed)
    }

    /// Looks for an announcement on this thread whose end tells whatever changes until then.
    ///
    /// - Parameter isChange: Whether something has changed that is left to that end.
    /// - Returns: `true` if there is one.
    func isToldLater(isChange: Bool = true) -> Bool {
        withList { $0.isChangingHere } || isInsideAnnouncement(isChange: isChange)
    }

    /// Returns `true` if the program has announced a change on this thread of what the path leads through, which the end of that tells.
    ///
    /// Who has registered since then does not hear of that end, and must be told at once.
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

    /// Forgets a change that was announced and will not be delivered.
    ///
    /// Something may have been changed nevertheless. The path is evaluated, so that it follows what it leads to now.
    private func sourceWasCancelled(_ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>) {
        let (open, mustEvaluate) = lock.withLock {
            (takeOpenChange(of: source.word), canEvaluate)
        }
        if let root = living(changed) { withExtendedLifetime(root) { endCancelled(open, root, mustEvaluate: mustEvaluate) } }
        endLingering()
    }

    /// Takes out what is known of the change whose end is heard (under the lock).
    func takeOpenChange(of source: UInt) -> OpenChange? {
        if unsafe openChanges.isEmpty { return nil }
        let thread = safekvo_thread()
        guard let index = unsafe openChanges.lastIndex(where: { $0.dependency == source && $0.thread == thread }) else { return nil }
        let open = unsafe openChanges.remove(at: index)
        countAnnouncements()
        return open
    }

    // MARK: After

    /// Numbers a change of the path.
    @usableFromInline
    func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Numbers a change of the last property of a chain, unless a newer one of the property was made.
    private func numberChange(of source: Unretained<ObserverList>, _ event: EventPointer) -> UInt64 {
        // Numbered first: if a newer change is made after that, its number here is greater.
        let own = numberChange()
        // SAFETY: the header is the first thing in the event; whoever delivers it holds the list.
        let number = unsafe event.assumingType(KeyValueEventHeader.self).pointee.number
        let isOvertaken = unsafe number != 0 && source.with { $0.lastChange } > number
        return isOvertaken ? ObserverList.numberOfOvertaken : own
    }

    /// What is to be done about a change.
    enum Step {
        case nothing
        /// Find out whether it is the change of a former dependency, and ask again.
        case examine
        /// Follow what is there now, and tell nobody.
        case follow
        case tellLeaf
        case evaluate(DependencyRecorder)
        case postpone
    }

    /// A dependency has changed.
    ///
    /// - Parameters:
    ///   - info: What hears of it.
    ///   - changed: Whose it is.
    ///   - event: The change.
    ///   - limit: Who was there when the change began, by the serial numbers of its subject.
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

    /// Does what is to be done about a change that is not told as it is.
    func perform(_ step: Step, _ open: OpenChange?, _ root: AnyObject) {
        switch step {
        case .nothing, .examine, .tellLeaf: break
        case .follow: steps.evaluate(self, root)
        case .evaluate(let recorder): steps.tell(self, root, recorder, open)
        case .postpone:
            if !isToldLater() { steps.postpone(self, root, open) }
            // Who came after it was announced hears what comes next, of what is a dependency now.
            if let open, open.limit != currentLimit { steps.evaluate(self, root) }
        }
    }

    /// What is to be done about a change, and what is known of it.
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

    /// What is to be done about a change that is not told as it is (under the lock).
    func stepIfTold(_ open: OpenChange?, _ info: ObservationInfo?, isBatch: Bool) -> Step {
        // What was a hop at the beginning and is none any more tells only what was left to it.
        if unsafe !isActive || !lingering.isEmpty && isLingering(info) && !(open?.hasSwallowed ?? false) { return .nothing }
        if leavesItToWhoeverIsAtIt() { return .nothing }
        if isBatch { isStale = true }
        return isBatch ? .postpone : .evaluate(makeRecorder())
    }

    /// `true` if the path cannot be evaluated here and now, and will be when that is over (under the lock).
    func leavesItToWhoeverIsAtIt() -> Bool {
        if unsafe table.isEvaluating(on: safekvo_thread()) {
            unsafe table.disturb(on: safekvo_thread())
            return true
        }
        let mustWait = isDependencyOpen
        if mustWait { isWaiting = true }
        return mustWait
    }

    /// Whether a batch may have left dependencies that the path still follows, and it can be found out now which (under the lock).
    private var mayFollowFormer: Bool { isStale && canEvaluate }

    /// What is known of a change whose announcement the path has not heard (under the lock).
    ///
    /// If it was announced before the path depended on it, those hear it who were there when that began. If not, nobody hears it who has come
    /// since: among those who observe the subject itself, that can be told.
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

    /// Whether what has changed is a former hop, which a batch has left and the path still follows.
    ///
    /// Inside the batch it matters only to those who came since something else changed in it: the others are told anyway.
    private func isFormer(_ source: Unretained<ObserverList>, _ root: AnyObject, _ isBatch: Bool) -> Bool {
        if isBatch, !(ChangeBatch.current?.entry(of: listReference)?.needsOldValue(currentLimit) ?? false) { return false }
        steps.evaluate(self, root)
        return lock.withLock { unsafe !table.dependencies.values.contains { $0.info.list == source } }
    }

    /// A property that was open for change in place, and tells nothing of it, can be read again.
    private func sourceIsClosed(_ changed: Unretained<AnyObject>) {
        guard let root = living(changed) else { return }
        let recorder = lock.withLock { isWaiting && isActive && !isDependencyOpen ? makeRecorder() : nil }
        if let recorder { withExtendedLifetime(root) { steps.tell(self, root, recorder, nil) } }
    }

    // MARK: Telling

    @usableFromInline
    var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    /// Looks whether observers are to be called before a change.
    ///
    /// - Parameter source: What changes. Inside a manual notification of the path itself, only that one calls observers.
    /// - Returns: `true` if they are.
    @usableFromInline
    func wantsPriorCalls(of source: UInt) -> Bool {
        withList({ $0.wantsPriorCalls }) && (source == listReference.word || !isToldLater(isChange: false))
    }

    /// Begins a delivery to the path's observers before a change, which ``wantsPriorCalls(of:)`` has allowed.
    ///
    /// - Parameter limit: The serial number of the last observer that is notified.
    /// - Returns: the delivery; nil if the subject is being deallocated.
    @usableFromInline
    func deliveryBefore(upTo limit: UInt32) -> Delivery? { Delivery(to: listReference, limit: limit) }

    /// Begins a delivery to the path's observers after a change.
    ///
    /// - Parameter limit: The serial number of the last observer that is notified, if that was noted before the change.
    /// - Returns: the delivery; nil if the subject is being deallocated, or if the change is part of a manual notification.
    @usableFromInline
    func delivery(upTo limit: UInt32?) -> Delivery? { isToldLater() ? nil : Delivery(to: listReference, limit: limit) }
}
