internal import CSafeKVO

extension ObservationBroker {
    /// Checks an event against the handler's isolation; returns `true` if the caller must call the handler now.
    ///
    /// If the result is `false`, the event has been delivered, queued or dropped. The call that `enter()` counted has then ended, so the
    /// caller must do nothing more.
    @inline(never)
    func isInPlace(
        _ info: ObservationInfo, _ event: EventPointer, _ box: (EventPointer) -> EventBox
    ) -> Bool {
        // Keep the queue in this variable: the observation may end during this function, and then releases the queue.
        guard let hops = info.withExtras({ $0.hops }) else {
            if info.isInItsIsolation || info.isBuffered { return true }
            if comesHome(info) { return false }
            refuse(info) { list in
                """
                `\(list.qualifiedName)` was \(list.propertyName == nil && list.keyPath == nil ? "sent" : "changed") outside the isolation of the \
                handler that was registered at \(info.position), so the handler was not called. Do this in that isolation, or use an \
                `ObservationController` with `on:`.
                """
            }
            info.leaveWithoutCall()
            return false
        }
        let read = hops.read?(event)
        if hops.target.isCurrent {
            if hops.count > 0 { deliverWaiting(hops, info) }
            if !info.isOver, read == nil { return true }
            info.leaveWithoutCall()
            if let read { read.withEvent { forwardInPlace($0, to: info) } }
            return false
        }
        if info.isLogged { ObservationDiagnostics.log(.enqueued, info) }
        let subject = info.withList { $0.withRecord { $0.subjectOfDelivery } }
        let mustSchedule = hops.append(HopQueue.Item(event: read ?? box(event), subject: subject))
        info.leaveWithoutCall()
        if mustSchedule { enqueueJob(hops, info) }
        return false
    }

    /// Leaves a mark for a change of an atomic property that was made outside the isolation of a handler, and schedules a job there that reads
    /// the value; returns `false` if the handler takes changes, or if the property must not be changed elsewhere.
    private func comesHome(_ info: ObservationInfo) -> Bool {
        guard info.flags.contains(.wholeValue), info.withList({ $0.isAtomic }), let home = info.isolationElsewhere else { return false }
        let change = ChangeElsewhere(subject: info.withList { $0.withRecord { $0.subjectOfDelivery } })
        leaveMark(to: info)
        if info.leaveAsking() { home.enqueue { withExtendedLifetime(change) { handOver(to: info) } } }
        return true
    }

    /// Keeps the changed object until its value is read.
    private struct ChangeElsewhere: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the object has an atomic property, which several threads share, so any thread may release it.
        let subject: AnyObject
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
                item.event.withEvent { forwardInPlace($0, to: info) }
            }
        }
    }
}

extension ObservationBroker {
    /// Counts and reports a change of what a key path reads, which was made outside the isolation of the handler.
    ///
    /// This function neither loads the observer nor counts a call, so that the thread that may call the handler does not wait.
    func refuse(_ info: ObservationInfo, isOfAtomic: Bool) {
        if info.flags.isUnprotected { return refuseUnprotected(info) }
        let cure =
            isOfAtomic
            ? "A change that carries values cannot come to the handler from elsewhere. Observe the value, or pass `on:`."
            : "Change the property in that isolation, or declare it `@AtomicObserved`."
        refuse(info) { list in
            """
            What `\(list.qualifiedName)` reads was changed outside the isolation in which it was observed at \(info.position), so the handler was not \
            called. \(cure)
            """
        }
    }

    /// Counts and reports a change of an atomic property that a key path began to read after an observer had registered in no isolation.
    func refuseUnprotected(_ info: ObservationInfo) {
        refuse(info) { list in
            """
            `\(list.qualifiedName)` reads an `@AtomicObserved` property, whose change did not call the handler that was registered at \
            \(info.position): any thread may change the property, but the handler was registered in no isolation, and is not `Sendable`. Pass \
            `on: .anyThread { … }`, or register on an actor, for instance the main actor.
            """
        }
    }

    /// Counts and reports an event for which a handler is not called, because it came outside the handler's isolation.
    ///
    /// This function never loads the observer. Otherwise the observer could be deallocated here, in the wrong isolation.
    private func refuse(_ info: ObservationInfo, _ message: (ObserverList) -> String) {
        info.ifKept {
            info.withOwner { _ = $0.counts.wrongIsolation.count() }
            if info.isLogged { ObservationDiagnostics.log(.wrongIsolation, info) }
            info.withList { ObservationDiagnostics.warnOnce(.misplacedChange, at: info.position, message($0)) }
        }
    }
}
