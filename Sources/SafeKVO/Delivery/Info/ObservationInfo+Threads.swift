internal import Synchronization

extension ObservationInfo {
    /// Stops the program before the count of the running calls of the handler reaches the flags beside it.
    @inline(never)
    final func stopForTooManyCalls() -> Never {
        FatalMistake.stop(
            """
            The handler that was registered at \(position) is running \(InfoState.mostCalls) times at once: each call made a change that called it again. Assign in \
            the handler only if the new value differs from the present one.
            """)
    }

    // MARK: Pauses

    /// `true` if the observer is called both before and after each change.
    ///
    /// After the first call of a change, the second one must come even if a pause has begun between them. So `leavesOut(_:)` decides for
    /// each call of such an observer. For all other observers, a change during a pause leaves a mark or is dropped.
    final var decidesOnPauses: Bool { flags.contains(.priorCall) }

    final func notePause(at serial: UInt64) { withExtras { $0.pausedAt.store(serial, ordering: .releasing) } }

    /// Returns `true` if a paused observation must skip a call, because the observation was paused before the change began.
    ///
    /// Each pause gets a serial number, and each change notes the newest serial number when it begins. So a comparison of the two numbers
    /// shows whether the pause came first.
    ///
    /// - Parameter cutoff: The newest serial number when the change began. Zero for a call before the change, which a pause always stops.
    @usableFromInline
    final func wasPaused(beforeChangeBegunAt cutoff: UInt64) -> Bool {
        let pausedAt = withExtras { $0.pausedAt.load(ordering: .acquiring) } ?? 0
        return cutoff == 0 || cutoff >= pausedAt
    }

    /// Ends a pause, so that calls of the handler may start again; returns `true` if there is a mark.
    final func resume() -> Bool {
        InfoState(state.bitwiseAnd(~InfoState.paused, ordering: .acquiringAndReleasing).oldValue).isMarked
    }

    // MARK: Marks

    /// Leaves a mark: whoever may call the handler next reads the present value.
    ///
    /// This has no effect on handlers that take a change, with its old and new value.
    ///
    /// - Returns: `true` if there was a mark already, so that the present value stands for both changes.
    @usableFromInline
    @discardableResult
    final func mark() -> Bool {
        if !flags.contains(.wholeValue) { return false }
        return InfoState(state.bitwiseOr(InfoState.marked, ordering: .acquiringAndReleasing).oldValue).isMarked
    }

    /// Clears the mark, and returns the state before.
    ///
    /// The caller reads the value afterwards. So a change during the read leaves a new mark.
    final func takeMark() -> InfoState {
        InfoState(state.bitwiseAnd(~InfoState.marked, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Notes that a job is about to be sent home; returns `false` if one is on its way already.
    final func expectAtHome() -> Bool {
        state.bitwiseOr(InfoState.expectedAtHome, ordering: .acquiringAndReleasing).oldValue & InfoState.expectedAtHome == 0
    }

    /// Notes that the job has arrived.
    ///
    /// The job takes the mark afterwards. So a change that leaves a mark later sends another job.
    final func arriveAtHome() { state.bitwiseAnd(~InfoState.expectedAtHome, ordering: .acquiringAndReleasing) }

    /// `true` if a change must wait while another thread is calling the handler.
    ///
    /// This is the rule for handlers that take values, not changes. A handler that runs only in an isolation needs no such protection.
    final var isCalledOnOneThread: Bool { flags.contains(.wholeValue) && !flags.contains(.transfers) && !hasHome }

    /// `true` if the handler needs only the newest of the values that come at a bad time.
    ///
    /// The others get each event: handlers that take changes, those in another isolation, and sequences.
    final var needsOnlyNewest: Bool { flags.contains(.wholeValue) && !flags.contains(.transfers) && flags.handlerKind != .sequence }

    /// Where the present value can be read; `nil` if this thread may do so, or if nobody can any more.
    final var placeToRead: (any DeliveryTarget)? {
        (isBuffered ? nil : isolationElsewhere) ?? withList { $0.hook?.homeElsewhere }
    }

    @inline(never)
    func noteUnusualEnd(_ ended: InfoState) {
        if ended.isMarked { noteUndelivered(max(1, withList { $0.withRecord { $0.takeQueue(of: self) } }.count), ended) }
        if ended.isLogged { logEnd(ended.reason) }
    }

    /// Adds `count` undelivered events to the dropped events, if the observation ended because the observer was deallocated.
    @inline(never)
    final func noteUndelivered(_ count: Int, _ ended: InfoState) {
        if ended.reason == .observerDeinitialized { _ = withOwner { $0.counts.seldom.dropped.count(UInt64(count)) } }
    }

    private func logEnd(_ reason: ObservationEndReason) {
        state.bitwiseAnd(~InfoState.logged, ordering: .relaxed)
        DiagnosticsHook.log(.ended(reason), self)
    }
}
