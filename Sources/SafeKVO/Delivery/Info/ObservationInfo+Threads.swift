internal import Synchronization

/// What concerns threads that meet at an observation.
extension ObservationInfo {
    // MARK: Looks at what the observation keeps

    /// Uses the list, the owner or the extras, for a caller that is not counted in; nil if the observation has ended.
    final func ifKept<Result>(_ body: () -> Result?) -> Result? {
        let (state, weight) = visit()
        defer { endVisit(weight) }
        return state.isDisposed ? nil : body()
    }

    /// The subject, if the observation has not ended and the subject is not going.
    final var livingSubject: AnyObject? {
        let (state, weight) = visit()
        defer { endVisit(weight) }
        // What the info retains, it retains until the last one has left.
        return state.isRemoved ? nil : withList { $0.record.subject(of: self) }
    }

    /// Counts in somebody who looks at what the observation keeps and calls nobody.
    private func visit() -> (state: InfoState, weight: UInt64) {
        var current = InfoState(state.load(ordering: .relaxed))
        while true {
            let weight = current.weightOfVisit
            let (exchanged, original) = state.compareExchange(
                expected: current.bits, desired: current.bits &+ weight, ordering: .acquiringAndReleasing)
            if exchanged { return (current, weight) }
            current = InfoState(original)
        }
    }

    private func endVisit(_ weight: UInt64) {
        if weight == InfoState.call { return leave() }
        let after = InfoState(state.wrappingSubtract(weight, ordering: .acquiringAndReleasing).newValue)
        if after.isRemoved { dispose() }
    }

    // MARK: Pauses

    /// `true` if it depends on the change whether a pause leaves it out: an observer that was called before a change is called after it, too.
    final var decidesOnPauses: Bool { flags.contains(.priorCall) }

    /// Takes note that the controller is paused, of an info that decides on pauses.
    final func notePause(at serial: UInt32) { withExtras { $0.pausedAt.store(serial, ordering: .releasing) } }

    /// `true` if a change began after the controller was paused.
    ///
    /// - Parameter limit: The serial number at which the change began; zero if that is not known.
    /// - Returns: `true` if the call must be left out.
    @usableFromInline
    final func wasPaused(beforeChangeBegunAt limit: UInt32) -> Bool {
        let pausedAt = withExtras { $0.pausedAt.load(ordering: .acquiring) } ?? 0
        return limit == 0 || Int32(bitPattern: limit &- pausedAt) >= 0
    }

    // MARK: What threads leave to each other

    /// `true` if no two threads call the handler at once: it is handed values, on the thread that makes the change.
    ///
    /// A handler with an isolation is called by one thread at a time in any case.
    final var isCalledOnOneThread: Bool { flags.contains(.wholeValue) && flags.isDisjoint(with: .hasIsolation) }

    /// Drops what other threads have left, and logs the end.
    @inline(never)
    func noteUnusualEnd(_ ended: InfoState) {
        if ended.hasMail {
            let dropped = withList { $0.withRecord { $0.dropMail(for: self) } }
            if ended.reason == .observerDeinitialized { for _ in dropped { _ = withOwner { $0.countDropped() } } }
        }
        if ended.isLogged { logEnd(ended.reason) }
    }

    private func logEnd(_ reason: ObservationEndReason) {
        state.bitwiseAnd(~InfoState.logged, ordering: .relaxed)
        ObservationDiagnostics.log(.ended(reason), self, of: withList { $0.record.subject(of: self) })
    }
}
