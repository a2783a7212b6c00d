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
        let changed = unsafe header.pointee.subject
        switch unsafe header.pointee.phase {
        case .prior: sourceWillChange(info.list, changed, event, limit: unsafe header.pointee.limit)
        case .after, .initial: sourceDidChange(info, changed, event, limit: unsafe header.pointee.limit)
        case .abandoned: sourceWasCancelled(info.list, changed)
        case .closed: sourceIsClosed(changed)
        }
        return true
    }

    /// Whether a dependency is open for change in place (under the lock).
    ///
    /// To evaluate would read it and trap; the end of that change will tell.
    private var isDependencyOpen: Bool {
        unsafe table.dependencies.values.contains { unsafe $0.info.list.with { $0.isOpen.load(ordering: .relaxed) } }
    }

    /// Whether a list is that of the last hop of a chain (under the lock).
    private func isLeaf(_ source: Unretained<ObserverList>) -> Bool { unsafe !isStale && table.leaf == source.word }

    // MARK: Before

    private func sourceWillChange(
        _ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>, _ event: EventPointer, limit: UInt32
    ) {
        guard let root = living(changed) else { return }
        let (isLeaf, mustWait) = lock.withLock {
            unsafe (self.isLeaf(source), !isActive || table.isEvaluating(on: safekvo_thread()) || isDependencyOpen)
        }
        withExtendedLifetime(root) {
            if mustWait, !isLeaf { return }
            steps.tellPrior(self, root, isLeaf ? event : nil, source, changed == subject ? limit : currentLimit)
        }
    }

    /// Those who observe now are the ones to hear of a change that begins now.
    var currentLimit: UInt32 { withList { $0.withRecord { $0.currentSerial } } }

    /// Delivers the prior call of a manual notification about the whole object, whatever class it was written with.
    func entireObjectWillChange(_ root: AnyObject, limit: UInt32) {
        steps.tellPrior(self, root, nil, listReference, limit)
    }

    /// Delivers a manual notification about the whole object, whatever class it was written with.
    func entireObjectDidChange(_ root: AnyObject) {
        let (open, recorder) = lock.withLock { (takeOpenChange(of: listReference), isActive ? makeRecorder() : nil) }
        if let recorder { steps.tell(self, root, recorder, open) }
    }

    /// Forgets a manual notification about the whole object that was cancelled.
    func entireObjectWillNotChange() {
        let open = lock.withLock { takeOpenChange(of: listReference) }
        _ = consume open
    }

    /// Notes that the change of a dependency is under way.
    @usableFromInline
    func open(_ source: Unretained<ObserverList>, _ limit: UInt32, old: AnyObject?) {
        let open = OpenChange(dependency: source.word, thread: safekvo_thread(), limit: limit, old: old)
        lock.withLock { unsafe openChanges.append(open) }
    }

    /// Forgets a change that was announced and will not be delivered.
    ///
    /// Something may have been changed nevertheless. The path is evaluated, so that it follows what it leads to now.
    private func sourceWasCancelled(_ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>) {
        let (open, mustEvaluate) = lock.withLock {
            unsafe (takeOpenChange(of: source), isActive && !table.isEvaluating(on: safekvo_thread()) && !isDependencyOpen)
        }
        if mustEvaluate, let root = living(changed) { withExtendedLifetime(root) { steps.evaluate(self, root) } }
        _ = consume open
    }

    /// Takes out what is known of the change whose end is heard (under the lock).
    private func takeOpenChange(of source: Unretained<ObserverList>) -> OpenChange? {
        if unsafe openChanges.isEmpty { return nil }
        let thread = safekvo_thread()
        return unsafe openChanges.lastIndex { $0.dependency == source.word && $0.thread == thread }.map {
            unsafe openChanges.remove(at: $0)
        }
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
    private enum Step {
        case nothing
        /// Find out whether it is the change of a former dependency, and ask again.
        case examine
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
        switch step {
        case .nothing, .examine: break
        case .tellLeaf: steps.tellLeaf(self, root, event, open, numberChange(of: source, event))
        case .evaluate(let recorder): steps.tell(self, root, recorder, open)
        case .postpone:
            if !withList({ $0.isChangingHere }) { steps.postpone(self, root, open) }
            // Who came after it was announced hears what comes next, of what is a dependency now.
            if let open, open.limit != currentLimit { steps.evaluate(self, root) }
        }
        withExtendedLifetime(root) {}
    }

    /// What is to be done about a change, and what is known of it.
    private func nextStep(
        _ info: ObservationInfo, _ changed: Unretained<AnyObject>, _ limit: UInt32, isBatch: Bool, isExamined: Bool
    ) -> (Step, OpenChange?) {
        lock.withLock {
            if !isExamined, mayFollowFormer { return (.examine, nil) }
            let open = takeOpenChange(of: info.list) ?? changeUnannounced(to: info, changed, limit)
            if isLeaf(info.list) { return (.tellLeaf, open) }
            if !isActive { return (.nothing, open) }
            if unsafe table.isEvaluating(on: safekvo_thread()) {
                unsafe table.disturb(on: safekvo_thread())
                return (.nothing, open)
            }
            if isDependencyOpen {
                isWaiting = true
                return (.nothing, open)
            }
            if isBatch { isStale = true }
            return (isBatch ? .postpone : .evaluate(makeRecorder()), open)
        }
    }

    /// Whether a batch may have left dependencies that the path still follows, and it can be found out now which (under the lock).
    private var mayFollowFormer: Bool {
        unsafe isStale && isActive && !table.isEvaluating(on: safekvo_thread()) && !isDependencyOpen
    }

    /// What is known of a change whose announcement the path has not heard (under the lock).
    ///
    /// If it was announced before the path depended on it, those hear it who were there when that began. If not, nobody hears it who has come
    /// since: among those who observe the subject itself, that can be told.
    private func changeUnannounced(to info: ObservationInfo, _ changed: Unretained<AnyObject>, _ limit: UInt32) -> OpenChange? {
        var known: UInt32?
        if info.isLinked(after: limit) {
            known = unsafe table.dependencies.values.first { $0.info === info }?.followedAt
        } else if changed == subject {
            known = limit
        }
        return known.map { OpenChange(dependency: info.list.word, thread: safekvo_thread(), limit: $0, old: nil) }
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
    /// - Parameter source: The list that changes. Inside a manual notification of the path itself, only that one calls observers.
    /// - Returns: `true` if they are.
    @usableFromInline
    func wantsPriorCalls(of source: Unretained<ObserverList>) -> Bool {
        withList { $0.wantsPriorCalls && (source == listReference || !$0.isChangingHere) }
    }

    /// Begins a delivery to the path's observers.
    ///
    /// - Parameters:
    ///   - limit: The serial number of the last observer that is notified, if that was noted before the change.
    ///   - source: The list that changes, if it is the path's own.
    /// - Returns: the delivery; nil if the subject is being deallocated, or if the change is part of a manual notification of the path.
    @usableFromInline
    func delivery(upTo limit: UInt32?, of source: Unretained<ObserverList>? = nil) -> Delivery? {
        if source != listReference, withList({ $0.isChangingHere }) { return nil }
        return Delivery(to: listReference, limit: limit)
    }
}
