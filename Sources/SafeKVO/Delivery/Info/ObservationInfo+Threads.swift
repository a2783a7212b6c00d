internal import Synchronization

extension ObservationInfo {
    // MARK: Visits to what the observation keeps

    /// Calls a closure, and makes the observation keep its list, owner and ``InfoExtras`` until the closure returns.
    ///
    /// Code in a call of the handler does not need this function.
    ///
    /// - Returns: The closure's result, or `nil` if the observation has already released these objects.
    final func ifKept<Result>(_ body: () -> Result?) -> Result? {
        let (state, weight) = visit()
        defer { endVisit(weight) }
        return state.isDisposed ? nil : body()
    }

    /// Makes the observation keep its objects until `endVisit(_:)`.
    ///
    /// - Returns: The state before this call, and the amount to pass to `endVisit(_:)`.
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

    /// `true` if the observer is called before and after each change.
    ///
    /// A pause between these two calls does not skip the second one. So the observation checks for each call whether the pause skips it.
    final var decidesOnPauses: Bool { flags.contains(.priorCall) }

    /// Stores the serial number of the controller's last pause, to be compared with the number of a change.
    ///
    /// Call this only if `decidesOnPauses` is `true`.
    final func notePause(at serial: UInt32) { withExtras { $0.pausedAt.store(serial, ordering: .releasing) } }

    /// Returns `true` if the controller was paused before a change began, so that the change must not be delivered.
    ///
    /// - Parameter limit: The newest serial number of a registration or pause when the change began; zero if the pause skips the call in
    ///   any case.
    @usableFromInline
    final func wasPaused(beforeChangeBegunAt limit: UInt32) -> Bool {
        let pausedAt = withExtras { $0.pausedAt.load(ordering: .acquiring) } ?? 0
        return limit == 0 || Int32(bitPattern: limit &- pausedAt) >= 0
    }

    // MARK: Values that are read again

    /// Requests that the next delivery reads the present value, unless the handler receives changes.
    @usableFromInline
    final func readAgain() {
        if flags.contains(.wholeValue) { state.bitwiseOr(InfoState.rereads, ordering: .acquiringAndReleasing) }
    }

    /// Reads the present value of the key, and returns an event that delivers this value.
    ///
    /// Only one thread at a time may call this function for a registration. Otherwise an older value could be delivered
    /// after a newer one.
    ///
    /// - Parameter event: The event to deliver, whose value may be outdated.
    /// - Returns: An event with the present value, or `event` if the value cannot be read now.
    final func present(insteadOf event: EventBox) -> EventBox {
        // Clear the flag before reading the value. If another thread sets the flag during the read, the flag stays set, and the next
        // delivery reads again.
        state.bitwiseAnd(~InfoState.rereads, ordering: .acquiringAndReleasing)
        let number = lastChange
        // If the value cannot be read, a property is being modified in place on this thread. The flag may stay clear, because the end of
        // that modification is a newer change, whose delivery brings the value that is then present.
        guard let keyPath, let present = withList({ event.present($0, keyPath, number: number) }) else { return event }
        if lastChange != number { readAgain() }
        return present
    }

    // MARK: Events that threads leave for each other

    /// `true` if the library itself must prevent two threads from calling the handler at once.
    ///
    /// This holds for a handler of whole values that runs on the thread of the change. An isolation runs one call at a time anyway.
    final var isCalledOnOneThread: Bool { flags.contains(.wholeValue) && flags.isDisjoint(with: .hasIsolation) }

    /// Drops the events that still wait when this observation ends, and logs the end if logging is on.
    @inline(never)
    func noteUnusualEnd(_ ended: InfoState) {
        if ended.hasMail {
            let dropped = withList { $0.withRecord { $0.dropMail(for: self) } }
            noteUndelivered(dropped.count, ended)
        }
        if ended.isLogged { logEnd(ended.reason) }
    }

    /// Counts events that waited when this observation ended as dropped, if it ended because the observer was deallocated.
    @inline(never)
    final func noteUndelivered(_ count: Int, _ ended: InfoState) {
        if ended.reason == .observerDeinitialized { _ = withOwner { $0.counts.dropped.count(UInt64(count)) } }
    }

    private func logEnd(_ reason: ObservationEndReason) {
        state.bitwiseAnd(~InfoState.logged, ordering: .relaxed)
        ObservationDiagnostics.log(.ended(reason), self)
    }
}
