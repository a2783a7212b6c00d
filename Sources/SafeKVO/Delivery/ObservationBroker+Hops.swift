internal import CSafeKVO

/// The delivery of events to handlers that must run in a particular isolation.
extension ObservationBroker {
    /// Returns `true` if the caller must call the handler, which has an isolation, on this thread.
    ///
    /// Otherwise, this function schedules a delivery in that isolation, or refuses the event. It then also undoes the count of a call,
    /// which the caller must have made with `enter()`.
    @inline(never)
    func isInPlace(
        _ info: ObservationInfo, _ owner: ObservationOwner, _ event: EventPointer, _ box: (EventPointer) -> EventBox
    ) -> Bool {
        // Retain the queue, because the registration may release it after `leaveWithoutCall()`.
        guard let hops = info.withExtras({ $0.hops }) else {
            if info.isInItsIsolation { return true }
            refuse(info, owner)
            return false
        }
        let read = hops.read?(event)
        if hops.target.isCurrent {
            if hops.count > 0 { deliverWaiting(hops, info) }
            if !info.isOver, read == nil { return true }
            info.leaveWithoutCall()
            if let read { read.withEvent { forwardInPlace($0, to: info, box: read) } }
            return false
        }
        logEnqueued(info)
        let item = hopItem(read ?? box(event), info)
        info.leaveWithoutCall()
        switch hops.append(item, of: info) {
        case .mustSchedule: enqueueJob(hops, info)
        case .isScheduled: break
        case .mustReadAgain:
            if info.enter().isRemoved { info.leaveWithoutCall() } else { readAgain(event, info, hops, isLogged: true, box) }
        }
        return false
    }

    /// Reads the present value of the key, and schedules its delivery.
    ///
    /// Only one thread at a time reads, so that the values are scheduled in the order in which they are read. That thread reads again if
    /// others want to read meanwhile. This function undoes the count of a call, which the caller must have made with `enter()`.
    ///
    /// - Parameter isLogged: `true` if the caller has logged that the change waits.
    @inline(never)
    func readAgain(
        _ event: EventPointer, _ info: ObservationInfo, _ hops: HopQueue, isLogged: Bool = false, _ box: (EventPointer) -> EventBox
    ) {
        if !isLogged { logEnqueued(info) }
        let hasRead = hops.readInTurn { schedule(info.present(insteadOf: box(event)), info, hops) }
        if hasRead, hops.target.isCurrent { deliverWaiting(hops, info) }
        info.leaveWithoutCall()
    }

    /// Schedules the delivery of an event without checking whether its value is outdated.
    ///
    /// The caller must have counted a call with `enter()`.
    func schedule(_ event: EventBox, _ info: ObservationInfo, _ hops: HopQueue) {
        if hops.appendRead(hopItem(event, info)) { enqueueJob(hops, info) }
    }

    /// Logs that a change waits for its delivery, after a call of `enter()`.
    func logEnqueued(_ info: ObservationInfo) {
        if info.isLogged { ObservationDiagnostics.log(.enqueued, info) }
    }

    /// Makes the queue's item for an event after a call of `enter()`.
    private func hopItem(_ event: EventBox, _ info: ObservationInfo) -> HopQueue.Item {
        // SAFETY: the caller has called `enter()`, after which the registration keeps its list alive.
        unsafe HopQueue.Item(event: event, subject: info.list.with { $0.withRecord { $0.subjectOfDelivery } })
    }

    private func enqueueJob(_ hops: HopQueue, _ info: ObservationInfo) {
        hops.target.enqueue {
            deliverWaiting(hops, info)
            if hops.endJob() { enqueueJob(hops, info) }
        }
    }

    private func deliverWaiting(_ hops: HopQueue, _ info: ObservationInfo) {
        for _ in 0..<hops.count {
            guard let item = hops.next() else { return }
            withExtendedLifetime(item) {
                item.event.withEvent { forwardInPlace($0, to: info, box: item.event) }
            }
        }
    }

    /// Reports a change in the wrong isolation, without calling the handler.
    ///
    /// This function must not load the observer: the release of the loaded reference could deallocate the observer in
    /// the wrong isolation.
    private func refuse(_ info: ObservationInfo, _ owner: ObservationOwner) {
        info.uncountDelivery()
        owner.counts.wrongIsolation.count()
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
