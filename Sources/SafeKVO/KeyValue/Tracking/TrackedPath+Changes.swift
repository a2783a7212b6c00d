internal import CSafeKVO
internal import Synchronization

/// Handles changes of the properties that the key path depends on, and notifies the observers of the key path.
extension TrackedPath {
    /// Handles an event of a dependency, whoever observes the key path; returns `false` if the event does not concern the key path.
    @inline(__always)
    func react(_ info: ObservationInfo, _ event: EventPointer) -> Bool {
        // SAFETY: every event of a key path begins with the header, whatever the type of its value.
        let header = unsafe event.view(as: KeyValueEventHeader.self)
        let changed = header.pointee.subject
        // Ignore a manual notification of the observed key path itself. The observers get that notification directly, and must not get it
        // twice.
        if header.pointee.isByHand, changed == subject, info.withList({ $0.isDependent && $0.isAnnounced(by: keyPath) }) {
            return true
        }
        switch header.pointee.phase {
        case .upcoming: noteObservers(info.list, changed, limit: header.pointee.limit)
        case .prior: sourceWillChange(info.list, changed, event, limit: header.pointee.limit)
        case .after, .initial: sourceDidChange(info, changed, event, limit: header.pointee.limit)
        case .abandoned: sourceWasCancelled(info.list, changed)
        case .closed: sourceIsClosed(changed)
        }
        return true
    }

    /// `true` if a dependency is being mutated in place, so that an evaluation would end the program.
    func isDependencyOpen(_ state: inout PathState) -> Bool {
        let entry = safekvo_has_batch() ? withList { ChangeBatch.entryWithoutMutations(of: $0) } : nil
        let version = state.table.version
        if let entry, entry.closedVersion == version { return false }
        let isOpen = state.table.dependencies.values.contains { $0.info.withList { $0.isOpen.load(ordering: .relaxed) } }
        if !isOpen { entry?.closedVersion = version }
        return isOpen
    }

    var hasOpenDependency: Bool { withState { isDependencyOpen(&$0) } }

    // MARK: Before

    /// Stores the serial number of the newest observer before a change begins.
    ///
    /// Handlers that run before the change may register more observers, which must not be notified of the change.
    private func noteObservers(_ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>, limit: UInt64) {
        guard let root = living(changed) else { return }
        let limit = changed == subject ? limit : currentLimit
        withState { state in
            guard state.isActive else { return }
            state.openChanges.append(
                OpenChange(of: source.word, isUpcoming: true, limit: limit, old: nil))
        }
        withExtendedLifetime(root) {}
    }

    private func sourceWillChange(
        _ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>, _ event: EventPointer, limit: UInt64
    ) {
        guard let root = living(changed) else { return }
        let (passed, noted): (PassedEvent?, UInt64?) = withState { state in
            let isLeaf = state.isLeaf(source)
            if !canEvaluate(&state), !isLeaf { return (nil, nil) }
            let passed = isLeaf || state.passes(source) ? PassedEvent(event, of: source, isOfLeaf: isLeaf) : nil
            return (passed, state.takeUpcoming(source.word, safekvo_thread()) ?? (changed == subject ? limit : currentLimit))
        }
        if let noted { steps.tellPrior(self, root, passed, source.word, noted) }
        withExtendedLifetime(root) {}
    }

    /// The serial number of the newest observer; a change that begins now notifies observers up to this number.
    var currentLimit: UInt64 { withList { $0.withRecord { $0.currentSerial } } }

    /// Stores a change that has begun, until ``takeOpenChange(of:)`` removes it at the end of the change.
    @usableFromInline
    func open(_ source: UInt, _ limit: UInt64, old: AnyObject?) {
        let open = OpenChange(of: source, limit: limit, old: old)
        withState { $0.openChanges.append(open) }
    }

    /// Returns `true` if a change must not be delivered now, because a manual notification on this thread delivers it later.
    ///
    /// Pass `isChange: false` before a change. With `isChange: true`, the manual notification counts the change.
    func isToldLater(isChange: Bool = true) -> Bool { withList { isChange ? $0.swallowsChange() : $0.isChangingHere } }

    private func sourceWasCancelled(_ source: Unretained<ObserverList>, _ changed: Unretained<AnyObject>) {
        let (open, mustEvaluate) = withState { state in
            let open = takeOpenChange(of: source.word, &state)
            return (open, mustFollowNow(&state))
        }
        if mustEvaluate, let root = living(changed) { withExtendedLifetime(root) { steps.evaluate(self, root) } }
        _ = consume open
    }

    /// Removes and returns the change that this thread stored when the dependency `source` began to change; nil if there is none.
    func takeOpenChange(of source: UInt, _ state: inout PathState) -> OpenChange? {
        let thread = safekvo_thread()
        guard let index = state.openChanges.lastIndex(where: { $0.dependency == source && $0.thread == thread }) else { return nil }
        return state.openChanges.remove(at: index)
    }

    // MARK: After

    /// Returns the next serial number for a change of the key path's value.
    @usableFromInline
    func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Makes observers read the value again, if another change has followed the change whose serial number is `number`.
    @usableFromInline
    func noteRead(after number: UInt64) { withList { $0.noteRead(after: number) } }

    /// Returns the serial number for a change of the last property, or `ObserverList.numberOfOvertaken` if the property has changed again.
    ///
    /// If `isCertain` is `false`, another thread may be replacing the object that owns the property. The serial numbers of that replacement
    /// and of this change may be in the wrong order, so observers read the value again.
    private func number(_ own: UInt64, of source: ObservationInfo, _ event: EventPointer, isCertain: Bool) -> UInt64 {
        // SAFETY: every event of a dependency begins with a `KeyValueEventHeader`, whatever the type of its value.
        let number = unsafe event.view(as: KeyValueEventHeader.self).pointee.number
        let isOvertaken = number != 0 && source.withList { $0.lastChange } > number
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
        /// Deliver a change of the key path's last property, without an evaluation.
        case tellLeaf(number: UInt64, isCertain: Bool)
        /// Evaluate the key path and notify the observers.
        ///
        /// `isPassed` is `true` if the key path's value was the value of the changed property, whose event then may say more than the value.
        case evaluate(DependencyRecorder, isPassed: Bool)
        case postpone
    }

    private func sourceDidChange(_ info: ObservationInfo, _ changed: Unretained<AnyObject>, _ event: EventPointer, limit: UInt64) {
        let isBatch = safekvo_has_batch()
        guard let root = living(changed) else { return }
        var (step, open) = nextStep(info, changed, limit, isBatch: isBatch, isExamined: false)
        if case .examine = step {
            if isFormer(info.list, root, isBatch) {
                (step, open) = (.nothing, withState { takeOpenChange(of: info.list.word, &$0) })
            } else {
                (step, open) = nextStep(info, changed, limit, isBatch: isBatch, isExamined: true)
            }
        }
        if case .tellLeaf(let own, let isCertain) = step {
            steps.tellLeaf(self, root, event, open, number(own, of: info, event, isCertain: isCertain))
        } else {
            perform(step, open, root, PassedEvent(event, of: info.list, isOfLeaf: false))
        }
        withExtendedLifetime(root) {}
    }

    /// Reacts to a change as `step` says, for example by evaluating the key path and notifying the observers.
    ///
    /// Ignores ``Step/tellLeaf``, because only the caller has the event that this step needs.
    func perform(_ step: Step, _ open: OpenChange?, _ root: AnyObject, _ source: PassedEvent? = nil) {
        switch step {
        case .nothing, .examine, .tellLeaf: break
        case .follow: steps.evaluate(self, root)
        case .evaluate(let recorder, let isPassed): steps.tell(self, root, recorder, open, isPassed ? source : nil)
        case .postpone:
            if !isToldLater() { steps.postpone(self, root, open) }
            // If the limits differ, an observer has registered since this change began. That observer must be notified of the next change,
            // but the key path may miss the next change if the dependencies are outdated. So do not wait for the end of the batch: evaluate
            // now.
            if let open, open.limit != currentLimit { steps.evaluate(self, root) }
        }
    }

    private func nextStep(
        _ info: ObservationInfo, _ changed: Unretained<AnyObject>, _ limit: UInt64, isBatch: Bool, isExamined: Bool
    ) -> (Step, OpenChange?) {
        withState { state in
            // A batch may have delayed an evaluation, so that the key path still follows properties that it no longer reads. If the key
            // path can be evaluated now, evaluate it first.
            if !isExamined, state.isStale, canEvaluate(&state) { return (.examine, nil) }
            let source = info.list
            let open =
                state.openChanges.isEmpty
                ? changeUnannounced(to: info, changed, limit, &state)
                : takeOpenChange(of: source.word, &state) ?? changeUnannounced(to: info, changed, limit, &state)
            // Take this change's number before the check of `isSettled`. A newer change by another thread, made after the check, then gets
            // a greater number and counts as newer.
            if state.isLeaf(source) { return (.tellLeaf(number: numberChange(), isCertain: state.table.isSettled), open) }
            return (stepIfTold(open, info, isBatch: isBatch, &state), open)
        }
    }

    /// Decides whether to evaluate the key path after a change: now, at the end of the batch, or never.
    ///
    /// If the result is `.evaluate`, the evaluation has begun.
    func stepIfTold(_ open: OpenChange?, _ info: ObservationInfo?, isBatch: Bool, _ state: inout PathState) -> Step {
        if !state.isActive { return .nothing }
        if leavesItToWhoeverIsAtIt(&state) { return .nothing }
        if isBatch { state.isStale = true }
        if isBatch { return .postpone }
        return .evaluate(makeRecorder(&state), isPassed: info.map { state.passes($0.list) } ?? false)
    }

    /// Returns `true` if the key path must be evaluated now, after a change that was cancelled.
    ///
    /// If a dependency is being mutated in place, arranges an evaluation at the end of the mutation, which notifies nobody.
    func mustFollowNow(_ state: inout PathState) -> Bool {
        state.isActive && !leavesItToWhoeverIsAtIt(&state, .evaluation)
    }

    /// Returns `true` if the key path cannot be evaluated now, and in this case arranges a later evaluation.
    ///
    /// An evaluation is impossible while this thread evaluates the key path, or while a dependency is being mutated in place. `later` says
    /// whether the evaluation after the mutation notifies the observers.
    func leavesItToWhoeverIsAtIt(_ state: inout PathState, _ later: PathState.Waiting = .notification) -> Bool {
        if state.table.isEvaluating(on: safekvo_thread()) {
            state.table.disturb(on: safekvo_thread())
            return true
        }
        let mustWait = isDependencyOpen(&state)
        if mustWait { state.waiting = max(state.waiting, later) }
        return mustWait
    }

    /// Creates an ``OpenChange`` (a change in progress) for a change whose beginning was not reported to this key path.
    ///
    /// The serial number `limit` of the result leaves out observers that registered during the change. If all observers must be notified,
    /// the result is nil.
    func changeUnannounced(
        to info: ObservationInfo, _ changed: Unretained<AnyObject>, _ limit: UInt64, _ state: inout PathState
    ) -> OpenChange? {
        var known: UInt64?
        if info.isLinked(after: limit) {
            known = state.table.dependencies.values.first { $0.info === info }?.followedAt
        } else if changed == subject {
            known = limit
        }
        return known.map { OpenChange(of: info.list.word, limit: $0, old: nil) }
    }

    /// Returns `true` if an evaluation shows that the key path no longer depends on the changed property.
    private func isFormer(_ source: Unretained<ObserverList>, _ root: AnyObject, _ isBatch: Bool) -> Bool {
        if isBatch, !(ChangeBatch.current?.entry(of: list)?.needsOldValue(currentLimit) ?? false) { return false }
        steps.evaluate(self, root)
        return withState { !$0.table.dependencies.values.contains { $0.info.list == source } }
    }

    private func sourceIsClosed(_ changed: Unretained<AnyObject>) {
        guard let root = living(changed) else { return }
        let step: Step = withState { state in
            guard state.isActive, state.waiting != .nothing, !isDependencyOpen(&state) else { return .nothing }
            return state.waiting == .evaluation ? .follow : .evaluate(makeRecorder(&state), isPassed: false)
        }
        perform(step, nil, root)
        withExtendedLifetime(root) {}
    }

    // MARK: Notifications

    @usableFromInline
    var wantsOldValues: Bool { withList { $0.wantsOldValues } }

    /// Returns `true` if an observer wants a call before this change, unless a manual notification will deliver the change.
    @usableFromInline
    func wantsPriorCalls(of source: UInt) -> Bool {
        withList({ $0.wantsPriorCalls }) && (source == listReference.word || !isToldLater(isChange: false))
    }

    /// Begins to call the observers with serial numbers up to `limit` before a change.
    ///
    /// Observers get serial numbers when they register. Returns nil if the observed object is being deallocated.
    @usableFromInline
    func deliveryBefore(upTo limit: UInt64) -> Delivery? { Delivery(to: listReference, limit: limit) }

    /// Begins to notify the observers with serial numbers up to `limit` after a change; if `limit` is nil, all observers.
    ///
    /// Returns nil if the observed object is being deallocated, or if a manual notification will deliver the change.
    @usableFromInline
    func delivery(upTo limit: UInt64?) -> Delivery? { isToldLater() ? nil : Delivery(to: listReference, limit: limit) }
}

extension TrackedPath {
    /// Returns `true` if the key path's value is the value of the property whose event this is, after an evaluation that followed it.
    @usableFromInline
    func passes(_ source: PassedEvent) -> Bool { withState { $0.passes(source.list) } }
}

extension PathState {
    /// Returns `true` if `source` is the list of the key path's last property, whose changes are delivered without an evaluation.
    @inline(__always)
    fileprivate func isLeaf(_ source: Unretained<ObserverList>) -> Bool { !isStale && table.leaf == source.word }

    /// Returns `true` if `source` is the list of the property whose value the newest evaluation returned.
    fileprivate func passes(_ source: Unretained<ObserverList>) -> Bool {
        if isStale || table.passed == .nothing { return false }
        // SAFETY: the caller handles an event of this list, so the list is alive.
        return unsafe source.with { table.passed == Read(of: $0) }
    }

    /// Removes and returns the serial number that `noteObservers` stored before a change; nil if there is none.
    ///
    /// Observers with greater numbers registered too late to be notified of the change.
    fileprivate mutating func takeUpcoming(_ source: UInt, _ thread: UInt) -> UInt64? {
        openChanges.lastIndex { $0.dependency == source && $0.thread == thread && $0.isUpcoming }.map {
            openChanges.remove(at: $0).limit
        }
    }
}
