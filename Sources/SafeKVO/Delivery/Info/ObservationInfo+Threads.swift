internal import Synchronization

/// The parts of an observation that matter when several threads use it at the same time.
extension ObservationInfo {
    // MARK: Visits to what the observation keeps

    /// Calls a closure while the observation is guaranteed to keep its list, owner and extras alive.
    ///
    /// Code that runs outside a call of the handler uses this function.
    ///
    /// - Returns: The closure's result, or `nil` if the observation has already released these objects.
    final func ifKept<Result>(_ body: () -> Result?) -> Result? {
        let (state, weight) = visit()
        defer { endVisit(weight) }
        return state.isDisposed ? nil : body()
    }

    /// Begins a visit: this thread will use the objects that the observation keeps alive, without calling the handler.
    ///
    /// - Returns: The state before the visit, and the amount by which it was increased. `endVisit(_:)` subtracts it again.
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

    /// `true` if this observer is called before and after each change.
    ///
    /// Such an observer gets both calls of a change, even if the controller is paused between them.
    final var decidesOnPauses: Bool { flags.contains(.priorCall) }

    /// Stores the serial number of a pause of the controller, for `wasPaused(beforeChangeBegunAt:)`.
    ///
    /// Call this only if `decidesOnPauses` is `true`.
    final func notePause(at serial: UInt32) { withExtras { $0.pausedAt.store(serial, ordering: .releasing) } }

    /// Returns `true` if a change began after the controller was paused, so that the observer must not be called.
    ///
    /// - Parameter limit: The serial number of the newest registration or pause when the change began, or zero if that
    ///   number is unknown. With zero, the result is `true`.
    @usableFromInline
    final func wasPaused(beforeChangeBegunAt limit: UInt32) -> Bool {
        let pausedAt = withExtras { $0.pausedAt.load(ordering: .acquiring) } ?? 0
        return limit == 0 || Int32(bitPattern: limit &- pausedAt) >= 0
    }

    // MARK: Values that are read again

    /// Requests that the next delivery reads the present value, if the handler receives whole values.
    ///
    /// Other handlers receive changes. Each change is delivered with its own values.
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
        // The flag is cleared before the value is read. If another thread sets the flag meanwhile, the flag stays set.
        state.bitwiseAnd(~InfoState.rereads, ordering: .acquiringAndReleasing)
        let number = lastChange
        guard let keyPath, let present = withList({ event.present($0, keyPath, number: number) }) else { return event }
        if lastChange != number { readAgain() }
        return present
    }

    // MARK: Events that threads leave for each other

    /// `true` if the library itself must prevent two threads from calling the handler at once.
    ///
    /// This is so if the handler runs on the thread of the change and receives whole values, not single elements of a collection. A handler
    /// with an isolation needs no such care, because the isolation runs one call at a time.
    final var isCalledOnOneThread: Bool { flags.contains(.wholeValue) && flags.isDisjoint(with: .hasIsolation) }

    /// Drops the events that still wait when this observation ends, and logs the end if logging is on.
    @inline(never)
    func noteUnusualEnd(_ ended: InfoState) {
        if ended.hasMail {
            let dropped = withList { $0.withRecord { $0.dropMail(for: self) } }
            if ended.reason == .observerDeinitialized { _ = withOwner { $0.counts.dropped.count(UInt64(dropped.count)) } }
        }
        if ended.isLogged { logEnd(ended.reason) }
    }

    private func logEnd(_ reason: ObservationEndReason) {
        state.bitwiseAnd(~InfoState.logged, ordering: .relaxed)
        ObservationDiagnostics.log(.ended(reason), self)
    }
}
