internal import CSafeKVO

/// Handles changes of the properties that the key path depends on, and notifies the observers of the key path.
extension TrackedPath {
    /// Handles an event of a dependency; returns `false` if the event does not concern the key path.
    func dependencyChanged(_ link: Link, _ event: EventPointer) -> Bool {
        // SAFETY: every event of a key path begins with the header, whatever the type of its value.
        let header = unsafe event.view(as: KeyValueEventHeader.self)
        let isByHand = header.pointee.isByHand
        if link.flags.contains(.onlyByHand), !isByHand { return false }
        let changed = header.pointee.subject
        // The observers of an announced key path get that notification directly, and must not get it twice.
        if isByHand, changed == subject, link.withList({ $0.isDependent && $0.isAnnounced(by: keyPath) }) { return true }
        if !isHere(afterChangeOfAtomic: link.withList { $0.isAtomic }) {
            if header.pointee.phase == .after { changedElsewhere(changed, isShared: isByHand || link.withList { $0.isAtomic }) }
            return true
        }
        switch header.pointee.phase {
        case .prior: dependencyWillChange(link, changed, event)
        case .after, .initial: dependencyDidChange(link, changed, event)
        case .closed: dependencyDidEnd(changed, isCancelled: isByHand)
        }
        return true
    }

    // MARK: At home

    private func dependencyWillChange(_ link: Link, _ changed: Unretained<AnyObject>, _ event: EventPointer) {
        let list = link.list
        if link.flags.contains(.onlyByHand) { compare(changed, PassedEvent(event, of: list)) }
        let (isPassing, isBusy) = withState { state in
            (state.leaf == list.word || state.passes(link.read), !state.isActive || state.isEvaluating)
        }
        if isBusy { return }
        guard let root = living(changed) else { return }
        // The change will say the old value, unless the end of a batch or of another mutation does. So the mutation of a collection need not
        // copy it.
        let isAnnounced = withList { $0.isChangingHere }
        let mayGo = isPassing && !isAnnounced && !link.flags.contains(.onlyByHand) && !(last?.mayStay ?? true)
        let former = mayGo && !withState { Self.isOpen($0.links) } ? keep(nil) : nil
        if !isAnnounced, withList({ $0.wantsPriorCalls }) {
            _ = steps.run(self, root, .notifyBefore(isPassing ? PassedEvent(event, of: list) : nil))
        }
        if former != nil, safekvo_has_batch() { touch(root, isOver: false, old: former) }
        withExtendedLifetime(root) {}
    }

    private func dependencyDidChange(_ link: Link, _ changed: Unretained<AnyObject>, _ event: EventPointer) {
        guard let root = living(changed) else { return }
        let source = PassedEvent(event, of: link.list)
        let isAnnounced = withList { $0.swallowsChange() }
        if safekvo_has_batch(), !isAnnounced { return touch(root) }
        SchedulePoint.pass(.beforeTurn)
        let step: PathSteps.Step? = withState { state in
            guard take(&state) else { return nil }
            // The thread that had the turn before may have notified the observers of a change that has overtaken this one. So the numbers are
            // compared with the turn.
            let isNewest = source.isNewest
            if isNewest, !isAnnounced, !state.turn.isMarked, state.leaf == source.list.word {
                return .pass(source, keepsLast: keepsLast(state))
            }
            let isPassing = state.passes(link.read)
            let recorder = begin(&state)
            if isAnnounced { return .follow(recorder) }
            state.isDueAtHome = false
            return .notify(recorder, isPassing ? source : nil)
        }
        if let step { work(root, step) }
    }

    /// Does a step for which the caller has taken the turn, and gives the turn back.
    private func work(_ root: AnyObject, _ step: PathSteps.Step) {
        _ = steps.run(self, root, step)
        passTurn(root)
        withExtendedLifetime(root) {}
    }

    /// Gives the turn back, after having worked for those who have left marks meanwhile.
    @usableFromInline
    func passTurn(_ root: AnyObject) {
        SchedulePoint.pass(.beforePassingTurn)
        while let recorder = pass() { _ = steps.run(self, root, .notify(recorder, nil)) }
        // In a batch, its end works for the others.
        if safekvo_has_batch(), withState({ $0.isActive && $0.turn.isMarked }) { touch(root) }
    }

    /// Evaluates the key path after something that has notified nobody, and notifies the observers if there is a mark.
    private func dependencyDidEnd(_ changed: Unretained<AnyObject>, isCancelled: Bool) {
        let isMarked = !safekvo_has_batch() && withState { $0.turn.isMarked }
        guard isMarked || isCancelled, let root = living(changed), let recorder = isMarked ? takeTurn() : takeFreeTurn() else { return }
        work(root, isMarked ? .notify(recorder, nil) : .evaluate(recorder))
    }

    // MARK: Manual notifications of the key path

    /// Begins a manual notification of the key path on this thread.
    func willAnnounce(_ root: AnyObject, _ part: AnnouncementPart) {
        // Elsewhere, neither the getter nor a handler runs.
        guard isHere(afterChangeOfAtomic: false) else { return }
        let isNeeded = part.hasElements || !isEverywhere && withList { $0.wantsOldValues }
        _ = steps.run(self, root, .willAnnounce(isNeeded ? takeFreeTurn() : nil, part))
    }

    /// Ends a manual notification of the key path: notifies the observers, or leaves a mark for whoever has the turn.
    func didAnnounce(_ root: AnyObject, _ part: AnnouncementPart) {
        guard isHere(afterChangeOfAtomic: false) else { return changedElsewhere(Unretained(root), isShared: true) }
        if safekvo_has_batch() { return touch(root, upTo: part.cutoff) }
        let recorder: AccessRecorder? = withState { state in
            guard take(&state) else { return nil }
            state.isDueAtHome = false
            return begin(&state)
        }
        if let recorder { work(root, .didAnnounce(recorder, part)) }
    }

    func cancelAnnouncement(_ root: AnyObject) {
        if isHere(afterChangeOfAtomic: false) { dependencyDidEnd(Unretained(root), isCancelled: true) }
    }

    /// `true` if this thread may evaluate the key path now.
    var isReadableHere: Bool { isHere(afterChangeOfAtomic: false) && withState { $0.isActive && !Self.isOpen($0.links) } }

    /// Finds out if the key path's value is the value of another key, of which some elements are about to change.
    private func compare(_ changed: Unretained<AnyObject>, _ source: PassedEvent) {
        guard source.hasElements, let root = living(changed), let recorder = takeFreeTurn() else { return }
        work(root, .compare(recorder, source))
    }

    // MARK: Batches

    /// Leaves the change to the end of this thread's batch.
    ///
    /// The observers with serial numbers up to `cutoff` are notified, and those whom other threads have registered meanwhile.
    private func touch(_ root: AnyObject, upTo cutoff: UInt64? = nil, isOver: Bool = true, old: LastValue? = nil) {
        withState { if !noteDisturbance(&$0) { $0.turn.mark() } }
        let cutoff = cutoff.flatMap { list.lateInfos(after: $0).isEmpty ? $0 : nil }
        ChangeBatch.current?.touch(list, of: root, upTo: cutoff, isOver: isOver, old: { old ?? last })
    }

    /// Takes the turn, and returns the event for the observers at the end of a batch; nil if somebody else has the turn, who notifies them.
    ///
    /// The caller gives the turn back after the calls. So the observers get later changes of other threads after this one.
    ///
    /// `number` is that of the last change before the batch.
    func settle(_ root: AnyObject, old: AnyObject?, since number: UInt64) -> EventBox? {
        takeTurn().flatMap { recorder in
            steps.run(self, root, .settle(recorder, old: old, isOvertaken: withList { $0.lastChange } != number))
        }
    }

    // MARK: Elsewhere

    /// Handles a change that was made elsewhere, where the key path must not be evaluated.
    ///
    /// If the property is atomic, or its class announces the change (`isShared`), the path is evaluated at home, and calls those observers that
    /// get the newest value or name their isolation. A plain property is not made to be changed elsewhere.
    @inline(never)
    func changedElsewhere(_ changed: Unretained<AnyObject>, isShared: Bool) {
        SchedulePoint.pass(.changedElsewhere)
        guard let record = activeRecord else { return }
        // The record keeps the list, even if another thread ends the last observation meanwhile.
        defer { withExtendedLifetime(record) {} }
        let target = isShared ? home.target : nil
        list.forEachInfo { info in
            if !info.isDependency, target == nil || !info.comesHome { ObservationBroker.shared.refuse(info, isOfAtomic: isShared) }
        }
        let activation: UInt64? = withState { state in
            state.turn.mark()
            guard target != nil, state.isActive else { return nil }
            state.isDueAtHome = true
            defer { state.isExpectedAtHome = true }
            return state.isExpectedAtHome ? nil : state.activation
        }
        guard let activation, let target else { return }
        let arrival = Arrival(path: self, changed: unsafe changed.object, activation: activation)
        SchedulePoint.pass(.beforeJobHome)
        target.enqueue { arrival.run() }
    }

    /// Evaluates the key path at home after changes elsewhere, unless its observers have been notified since.
    fileprivate func comeHome(_ changed: AnyObject, _ activation: UInt64) {
        let isDue = withState { state in
            if state.activation != activation { return false }
            defer { (state.isExpectedAtHome, state.isDueAtHome) = (false, false) }
            return state.isDueAtHome
        }
        if isDue, let root = living(Unretained(changed)), let recorder = takeTurn() { work(root, .comeHome(recorder)) }
    }

    /// A job that evaluates a key path at home.
    private struct Arrival: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the object is used only at home. It has an atomic property, which several threads share, so any
        // thread may release it.
        let path: TrackedPath
        let changed: AnyObject
        let activation: UInt64

        func run() { path.comeHome(changed, activation) }
    }
}

extension ObservationInfo {
    /// `true` if a change that was made elsewhere is delivered by way of the home of the key path: that of a handler that gets the newest
    /// value, or that was registered with `on:`.
    @usableFromInline
    final var comesHome: Bool { isDependency || flags.contains(.wholeValue) || !flags.isDisjoint(with: [.transfers, .sendable]) }
}
