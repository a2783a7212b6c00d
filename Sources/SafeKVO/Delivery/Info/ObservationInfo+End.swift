internal import CSafeKVO
internal import Synchronization

/// The end of an observation is two events: somebody reports it, and whoever may lets go of what the observation has kept.
extension ObservationInfo {
    /// Marks the observation as removed, so that no further call of the handler starts; returns `false` if it was removed before.
    final func markRemoved(for reason: ObservationEndReason) -> Bool {
        SchedulePoint.pass(.beforeRemoval)
        return changeState { $0.isRemoved ? nil : $0.removing(for: reason) } != nil
    }

    /// Replaces the state by the one that a closure returns, and returns the state before; does nothing if the closure returns `nil`.
    @inline(__always)
    private func changeState(_ change: (InfoState) -> InfoState?) -> InfoState? {
        var current = InfoState(state.load(ordering: .relaxed))
        while let changed = change(current) {
            let (exchanged, original) = state.compareExchange(
                expected: current.bits, desired: changed.bits, ordering: .acquiringAndReleasing)
            if exchanged { return current }
            current = InfoState(original)
        }
        return nil
    }

    /// The caller that ends an observation, or goes on with its end.
    package enum Ender {
        /// A call of the handler, or of the controller, the token or the sequence: it uses the region of a handler that has no home.
        case region
        case anyone
    }

    /// The place where the observation may let go of what it keeps.
    private enum Gate {
        /// This thread: everything is `Sendable`, or this is the home, or the caller uses the region of a handler that has no home.
        ///
        /// In the home (`isHome`), only a call on this stack is one of the handler.
        case here(isHome: Bool)
        /// The home, to which a job must go.
        case home(any DeliveryTarget)
        /// The controller, by its next call or its end.
        case owner
    }

    private func gate(by ender: Ender) -> Gate {
        let isolation = withExtras { $0.isolation }
        // A handler that any thread may call has an isolation only if the source need not be `Sendable`.
        if isDependency || flags.contains(.transfers) || flags.contains(.sendable) && isolation == nil { return .here(isHome: false) }
        if flags.contains(.mainActor) {
            return safekvo_is_on_main_actor() ? .here(isHome: true) : .home(MainActorTarget.shared)
        }
        if let isolation {
            if isolation.isCurrent { return .here(isHome: true) }
            if let home = isolation.livingTarget { return .home(home) }
        }
        if ender == .region { return .here(isHome: isolation != nil) }
        // Nobody calls or ends the controller of an attachment, whose handler is the library's own and captures nothing.
        return withOwner { $0.isOfAttachment } ?? false ? .here(isHome: false) : .owner
    }

    /// Ends the observation; returns `false` if the observation had ended before.
    ///
    /// Several threads may call this function at once.
    @discardableResult
    package final func end(for reason: ObservationEndReason, by ender: Ender = .anyone) -> Bool {
        // As a call of the controller, this also lets go of what another thread leaves there. Whoever runs a handler or condition that any
        // thread may run is no proof of the controller's region.
        if ender == .region, flags.isDisjoint(with: [.transfers, .sendable]), let isFirst = withOwner({ $0.remove(self, for: reason) }) {
            return isFirst
        }
        let gate = gate(by: ender)
        if case .owner = gate {
            // The entry stays in the controller's set, for what is kept to take its place.
            guard markRemoved(for: reason) else { return false }
        } else {
            guard withOwner({ $0.forget(self, for: reason) }) ?? markRemoved(for: reason) else { return false }
        }
        finishEnd(through: gate)
        return true
    }

    /// Goes on with the end of a registration that the caller, a call of the controller, has marked as removed and taken out of the set.
    final func finishRemoval() { finishEnd(through: gate(by: .region)) }

    /// `true` if any thread may call the handler, which keeps only what is `Sendable`, but not what else the observation keeps.
    ///
    /// The handler fills the buffer of a sequence, or is `Sendable` while its source need not be.
    private var isCalledAnywhere: Bool { isBuffered || flags.contains(.sendable) && withExtras { $0.isolation } != nil }

    /// A caller of the handler, which may find out that it is not in the home of the handler, if there is one.
    final var caller: Ender { flags.isUnprotected && !isCalledAnywhere ? .region : .anyone }

    /// Goes on with the end of a removed registration after the end of a call.
    final func leaveRemoved() {
        let gate = gate(by: caller)
        switch gate {
        // The thread that has found the home elsewhere has sent a job there, which no call can hinder that is made elsewhere.
        case .home: reportIfLast()
        case .here, .owner: finishEnd(through: gate, isLeaving: true)
        }
    }

    /// Takes a removed registration out of its list, reports its end after its last call, and lets go of what it keeps, or leaves that to the
    /// home or the controller.
    private func finishEnd(through gate: Gate, isLeaving: Bool = false) {
        SchedulePoint.pass(.beforeUnlink)
        withList { $0.unlink(self) }
        SchedulePoint.pass(.afterUnlink)
        switch gate {
        case .here(let isHome):
            // A handler that runs only in its home is running if it is on this stack. Other threads are counted that find out that they are
            // elsewhere.
            let ignoresCalls = isCalledAnywhere || isHome && !DeliveryFrame.isRunning(self)
            let before = changeState { state in
                if state.isOpened || state.hasCalls && !ignoresCalls { return nil }
                return InfoState(state.bits | InfoState.opened | (state.hasCalls ? 0 : InfoState.reported))
            }
            guard let before else { return reportIfLast() }
            // Another thread may have left the entry in the controller's set.
            if isLeaving { withOwner { $0.drop(self) } }
            if !before.hasCalls, !before.isReported { report(before) }
            EndQueue.run(self)
        case .home(let home):
            reportIfLast()
            home.enqueue { self.finishEnd(through: self.gate(by: .anyone)) }
        case .owner:
            reportIfLast()
            SchedulePoint.pass(.beforeRelease)
            withOwner { $0.keepHold(of: self) }
        }
    }

    /// Moves what the observation keeps into a hold; returns `nil` if a call is running, or if somebody has let go of it already.
    final func takeHold() -> Hold? {
        let before = changeState { state in
            state.isOpened || state.hasCalls && !isCalledAnywhere ? nil : InfoState(state.bits | InfoState.opened)
        }
        guard let before else { return nil }
        let isDead = before.reason == .objectDeinitialized
        let kept = withExtras { $0.takeKept() }
        let last = withList { $0.hook?.takeUnwanted(of: self) }
        let subject = flags.contains(.retainsSubject) ? withList { $0.withRecord { $0.takeSubject() } } : nil
        return Hold(of: isDead ? nil : self, driver: kept?.driver, [isCalledAnywhere ? nil : takeHandler(), kept?.filter, last, subject])
    }

    /// Lets the list's hook know that the hold of the registration is let go of.
    final func willLetGo() { withList { $0.hook?.willLetGo(self, of: $0) } }

    private func reportIfLast() {
        let before = changeState { state in
            state.isReported || state.hasCalls ? nil : InfoState(state.bits | InfoState.reported)
        }
        if let before { report(before) }
    }

    /// Reports the end, after the last call of the handler.
    private func report(_ ended: InfoState) {
        if ended.deliveries > 0 { _ = withOwner { $0.counts.delivered.count(ended.deliveries) } }
        let waiting = withExtras { $0.transfers?.end() } ?? 0
        if waiting > 0 { noteUndelivered(waiting, ended) }
        withExtras { $0.takeOnTermination()?(ended.reason) }
        if ended.bits & (InfoState.logged | InfoState.marked) != 0 { noteUnusualEnd(ended) }
    }
}

extension ObservationInfo: Ended {
    /// Releases the handler, what belongs to it, and the observed object.
    ///
    /// No call is running or can start. The caller holds no lock.
    final func letGo() {
        SchedulePoint.pass(.beforeRelease)
        willLetGo()
        // Other threads may be calling the handler, which then goes with this object.
        if !isCalledAnywhere { releaseHandler() }
        withExtras { $0.releaseKept() }
        withExtendedLifetime(withList { $0.hook?.takeUnwanted(of: self) }) {}
        if flags.contains(.retainsSubject) { withList { $0.withRecord { $0.releaseSubject() } } }
    }
}
