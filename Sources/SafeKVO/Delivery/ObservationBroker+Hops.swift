internal import CSafeKVO

/// The delivery of events to handlers that must run in a particular isolation.
extension ObservationBroker {
    /// Checks whether this thread may call a handler that has an isolation, and schedules a hop if one is needed.
    ///
    /// - Parameters:
    ///   - info: The registration. The caller must have called `enter()` on it.
    ///   - owner: The part of the controller that counts deliveries.
    ///   - event: The event.
    ///   - box: Copies the event.
    /// - Returns: `true` if the caller must call the handler. If `false`, this function has undone the `enter()`.
    @inline(never)
    func isInPlace(
        _ info: ObservationInfo, _ owner: ObservationOwner, _ event: EventPointer, _ box: (EventPointer) -> EventBox
    ) -> Bool {
        // This retains the queue, because the info may release it as soon as the `enter()` has been undone below.
        guard let hops = info.withExtras({ $0.hops }) else {
            if info.isInItsIsolation { return true }
            refuse(info, owner)
            return false
        }
        let read = hops.read?(event)
        if hops.target.isCurrent {
            // Events that arrived earlier are delivered first.
            if hops.count > 0 { deliverWaiting(hops, info) }
            if !info.isOver, read == nil { return true }
            info.leaveWithoutCall()
            if let read { read.withEvent { forwardInPlace($0, to: info, box: read) } }
            return false
        }
        // SAFETY: The caller has called `enter()`, so the info keeps its list alive until the `leaveWithoutCall()` below.
        let item = unsafe HopQueue.Item(event: read ?? box(event), subject: info.list.with { $0.withRecord { $0.subjectOfDelivery } })
        if info.isLogged { ObservationDiagnostics.log(.enqueued, info) }
        info.leaveWithoutCall()
        if hops.append(item) { enqueueJob(hops, info) }
        return false
    }

    /// Schedules a job that delivers the waiting events, and afterwards another one if more events have arrived.
    private func enqueueJob(_ hops: HopQueue, _ info: ObservationInfo) {
        hops.target.enqueue {
            deliverWaiting(hops, info)
            if hops.endJob() { enqueueJob(hops, info) }
        }
    }

    /// Delivers the events that are waiting when this call begins; the caller is in the isolation of the handler.
    private func deliverWaiting(_ hops: HopQueue, _ info: ObservationInfo) {
        for _ in 0..<hops.count {
            guard let item = hops.next() else { return }
            withExtendedLifetime(item) {
                item.event.withEvent { forwardInPlace($0, to: info, box: item.event) }
            }
        }
    }

    /// Counts and reports a change in the wrong isolation, without calling the handler.
    ///
    /// The function does not load the observer. If it did, it might release the last reference, and so deallocate the observer in the wrong
    /// isolation.
    private func refuse(_ info: ObservationInfo, _ owner: ObservationOwner) {
        info.uncountDelivery()
        owner.countWrongIsolation()
        if info.isLogged { ObservationDiagnostics.log(.wrongIsolation, info) }
        info.leave()
        ObservationDiagnostics.warnOnce(
            .misplacedChange, at: info.position,
            """
            \(info.ifKept { info.withList { $0.whatHappened } } ?? "An observed property was changed") outside the isolation of the handler \
            that was registered at \(info.position), so the handler was not called. Do this in that isolation, or use an `ObservationController` with `on:`.
            """)
    }
}

extension ObserverList {
    /// A clause for warnings, such as "`Song.title` was changed" or, for events of a source, "`Signal.events` was sent".
    fileprivate var whatHappened: String {
        "`\(qualifiedName)` was \(propertyName == nil && keyPath == nil ? "sent" : "changed")"
    }
}
