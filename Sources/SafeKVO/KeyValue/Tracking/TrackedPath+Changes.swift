internal import CSafeKVO
internal import Synchronization

/// Hearing of the changes of dependencies, and telling those of the path.
extension TrackedPath {
    static let invoke: @Sendable (HandlerContext, ObservationInfo, AnyObject, EventPointer) -> Bool = { context, info, _, event in
        // SAFETY: a path is what belongs to the handlers of the infos that it makes, which are called with this; the header is the first
        // thing in every event of a key path, whatever the type of the value.
        let path = unsafe unsafeDowncast(context, to: TrackedPath.self)
        let header = unsafe event.assumingType(KeyValueEventHeader.self)
        // What the library found to have changed the path follows at its source.
        if info.flags.contains(.onlyByHand), unsafe !header.pointee.isByHand { return false }
        let changed = unsafe header.pointee.subject
        switch unsafe header.pointee.phase {
        case .prior: path.sourceWillChange(info.list, changed, event)
        case .after, .initial: path.sourceDidChange(info.list, changed, event)
        }
        return true
    }

    /// Whether this thread is evaluating the path already, or changing a dependency in place, further up the stack (under the lock).
    ///
    /// To evaluate would read it and trap; the end of that change will tell.
    private var mustWait: Bool {
        let thread = safekvo_thread()
        if table.isEvaluating(on: thread) { return true }
        if safekvo_open_properties() == 0 { return false }
        return table.dependencies.values.contains { $0.info.list.with { $0.modifyingThread.load(ordering: .relaxed) } == thread }
    }

    /// Whether a list is that of the last hop of a chain (under the lock).
    private func isLeaf(_ source: Unretained<ObserverList>) -> Bool { !isStale && table.leaf == source.word }

    private func sourceWillChange(_ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>, _ event: EventPointer) {
        guard let root = living(changed) else { return }
        let (isLeaf, mustWait) = lock.withLock { (self.isLeaf(source), self.mustWait || !isActive) }
        withExtendedLifetime(root) {
            if mustWait, !isLeaf { return }
            steps.tellPrior(self, root, isLeaf ? event : nil, source, currentLimit)
        }
    }

    private func sourceDidChange(_ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>, _ event: EventPointer) {
        // SAFETY: a thread-local word, compared and not followed.
        let isBatch = unsafe safekvo_batch() != nil
        guard let root = living(changed) else { return }
        if isBatch, isFormer(source, root) { return }
        let (isLeaf, isWaiting, recorder, open): (Bool, Bool, DependencyRecorder?, OpenChange?) = lock.withLock {
            let open = takeOpenChange(of: source)
            if self.isLeaf(source) { return (true, false, nil, open) }
            if mustWait || !isActive { return (false, true, nil, open) }
            if isBatch { isStale = true }
            return (false, false, isBatch ? nil : makeRecorder(), open)
        }
        withExtendedLifetime(root) {
            if isWaiting { return }
            if isLeaf {
                steps.tellLeaf(self, root, event, open)
            } else if let recorder {
                steps.tell(self, root, recorder, open)
            } else {
                steps.postpone(self, root, open)
                // Who came after it was announced hears what comes next, of what is a dependency now.
                if let open, open.limit != currentLimit { steps.evaluate(self, root) }
            }
        }
    }

    /// Whether a dependency may be one no more, since its change in a batch is one of a former hop.
    ///
    /// It matters only to those who came since something else changed in the batch: the others are told anyway.
    private func isFormer(_ source: Unretained<ObserverList>, _ root: AnyObject) -> Bool {
        guard lock.withLock({ isStale && isActive && !mustWait }) else { return false }
        guard ChangeBatch.current?.entry(of: listReference)?.needsOldValue(currentLimit) ?? false else { return false }
        steps.evaluate(self, root)
        return lock.withLock { !table.dependencies.values.contains { $0.info.list == source } }
    }

    /// Takes out what is known of the change whose end is heard (under the lock).
    private func takeOpenChange(of source: Unretained<ObserverList>) -> OpenChange? {
        if openChanges.isEmpty { return nil }
        let thread = safekvo_thread()
        return openChanges.lastIndex { $0.dependency == source.word && $0.thread == thread }.map { openChanges.remove(at: $0) }
    }

    /// Those who observe now are the ones to hear of a change that begins now.
    var currentLimit: UInt32 { listReference.with { $0.withRecord { $0.currentSerial } } }

    /// Notes that the change of a dependency is under way.
    @usableFromInline
    func open(_ source: Unretained<ObserverList>, _ limit: UInt32, old: AnyObject?) {
        let open = OpenChange(dependency: source.word, thread: safekvo_thread(), limit: limit, old: old)
        lock.withLock { openChanges.append(open) }
    }

    @usableFromInline
    var wantsOldValues: Bool { listReference.with { $0.wantsOldValues } }

    @usableFromInline
    var wantsPriorCalls: Bool { listReference.with { $0.wantsPriorCalls } }

    /// What is needed to tell a change.
    ///
    /// - Parameter limit: Who is told, if that was noted before the change.
    /// - Returns: nil if the subject is going.
    @usableFromInline
    func delivery(upTo limit: UInt32?) -> Delivery? { Delivery(to: listReference, limit: limit) }
}
