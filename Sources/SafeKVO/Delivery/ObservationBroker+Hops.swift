internal import CSafeKVO

/// Handlers that do not run just anywhere.
extension ObservationBroker {
    /// Sees to an event whose handler belongs to an isolation; it has been entered.
    ///
    /// - Parameters:
    ///   - info: Whose handler it is.
    ///   - owner: The info's owner.
    ///   - event: What happened.
    ///   - box: Copies the event.
    /// - Returns: whether the handler is to be called here and now; if not, the info has been left.
    @inline(never)
    func isInPlace(
        _ info: ObservationInfo, _ owner: ObservationOwner, _ event: EventPointer, _ box: (EventPointer) -> EventBox
    ) -> Bool {
        // The queue is retained: the info is left below.
        guard let hops = info.withExtras({ $0.hops }) else {
            if info.isInItsIsolation { return true }
            refuse(info, owner)
            return false
        }
        let read = hops.read?(event)
        if hops.target.isCurrent {
            // What arrived before comes before.
            if hops.count > 0 { deliverWaiting(hops, info) }
            if !info.isOver, read == nil { return true }
            info.leaveWithoutCall()
            if let read { read.withEvent { forwardInPlace($0, to: info, box: read) } }
            return false
        }
        // SAFETY: the info has been entered, and keeps its list until it is left.
        let item = unsafe HopQueue.Item(event: read ?? box(event), subject: info.list.with { $0.withRecord { $0.subjectOfDelivery } })
        if info.isLogged { ObservationDiagnostics.log(.enqueued, info) }
        info.leaveWithoutCall()
        if hops.append(item) { enqueueJob(hops, info) }
        return false
    }

    /// Sees to it that what waits for a hop is delivered at its end.
    private func enqueueJob(_ hops: HopQueue, _ info: ObservationInfo) {
        hops.target.enqueue {
            deliverWaiting(hops, info)
            if hops.endJob() { enqueueJob(hops, info) }
        }
    }

    /// Delivers, where the hop ends, what waits now.
    private func deliverWaiting(_ hops: HopQueue, _ info: ObservationInfo) {
        for _ in 0..<hops.count {
            guard let item = hops.next() else { return }
            withExtendedLifetime(item) {
                item.event.withEvent { forwardInPlace($0, to: info, box: item.event) }
            }
        }
    }

    /// The handler belongs to an isolation and this is not where that runs.
    ///
    /// It is not run, and the observer is not even looked at: letting go of it here could end it here.
    private func refuse(_ info: ObservationInfo, _ owner: ObservationOwner) {
        info.uncountDelivery()
        owner.countWrongIsolation()
        if info.isLogged { ObservationDiagnostics.log(.wrongIsolation, info) }
        info.leave()
        ObservationDiagnostics.warnOnce(
            .misplacedChange, at: info.position,
            """
            \(info.ifKept { info.withList { "`\($0.qualifiedName)`" } } ?? "An observed property") was changed outside the isolation of the handler \
            that was registered at \(info.position), so the handler was not called. Make the change in that isolation, or register with `on:`.
            """)
    }
}
