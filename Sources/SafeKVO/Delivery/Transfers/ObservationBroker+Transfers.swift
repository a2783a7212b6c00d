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
        guard let transfers = info.withExtras({ $0.transfers }) else {
            if info.isBuffered {
                callBuffered(info, event)
                return false
            }
            if info.isInItsIsolation { return true }
            leaveElsewhere(info, isOfAtomic: info.withList { $0.isAtomic })
            return false
        }
        let read = transfers.read?(event)
        if transfers.target.isCurrent {
            if transfers.count > 0 { deliverWaiting(transfers, info) }
            if !info.isOver, read == nil { return true }
            info.leaveWithoutCall()
            read?.withEvent { event, _ in forwardInPlace(event, to: info) }
            return false
        }
        if info.isLogged { DiagnosticsHook.log(.enqueued, info) }
        let subject = info.withList { $0.withRecord { $0.subjectOfDelivery } }
        transfers.append(TransferQueue.Item(event: read ?? box(event), subject: subject)) { deliverWaiting($0, info) }
        info.leaveWithoutCall()
        return false
    }

    /// Leaves a mark for a change of an atomic property that was made outside the isolation of a handler, and ends the call that `enter()` counted.
    ///
    /// A job in that isolation will read the value. Returns `false`, and does nothing, if the handler takes changes, or if its isolation is
    /// here or no more.
    func comeHome(_ info: ObservationInfo, isStarting: Bool = false) -> Bool {
        guard info.flags.contains(.wholeValue), let home = info.isolationElsewhere else { return false }
        leaveMark(to: info)
        if info.leaveAsking() || isStarting { send(info, to: home) }
        return true
    }

    /// Sends a job to an isolation that reads the value and calls the handler, unless one is on its way; keeps the object until then.
    func send(_ info: ObservationInfo, to home: any DeliveryTarget) {
        guard info.expectAtHome() else { return }
        // Only the object that was written is kept. That of a key path is found at home.
        let subject = info.withList { list in list.hook == nil ? list.withRecord { $0.livingSubjectOfDelivery(to: info) } : nil }
        let job = JobAtHome(info: info, subject: subject)
        home.enqueue { job.run() }
    }

    private struct JobAtHome: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) nobody uses the object by way of the job, which only keeps it until the job has run at home.
        let info: ObservationInfo
        let subject: AnyObject?

        func run() {
            info.arriveAtHome()
            withExtendedLifetime(subject) { ObservationBroker.shared.handOver(to: info) }
        }
    }

    private func deliverWaiting(_ transfers: TransferQueue, _ info: ObservationInfo) {
        for _ in 0..<transfers.count {
            guard let item = transfers.next() else { return }
            withExtendedLifetime(item) {
                item.event.withEvent { event, _ in forwardInPlace(event, to: info) }
            }
        }
    }
}

extension ObservationBroker {
    /// Counts and reports an event that was sent, or a change that was made, outside the isolation of the handler.
    ///
    /// This function neither loads the observer nor counts a call, so that the thread that may call the handler does not wait.
    func refuse(_ info: ObservationInfo, isOfAtomic: Bool) {
        if info.flags.isUnprotected { return refuseUnprotected(info) }
        refuse(info) { list in
            let (isEvent, name) = (list.property == 0 && list.keyPath == nil, "`\(list.qualifiedName)`")
            // The key of an object whose class is not for the program to declare.
            let isForeign = !isOfAtomic && list.withRecord { $0.isStandIn }
            let takesValues = info.flags.contains(.wholeValue)
            let cure =
                if isEvent {
                    "Send it in that isolation, or pass `on:`, with `transform:` if the event is not `Sendable`."
                } else if isOfAtomic {
                    "A handler that takes changes gets none from elsewhere. Leave out `options:` to get values, or pass `on:`."
                } else if isForeign {
                    "Change it in that isolation, or pass `on:`."
                } else {
                    """
                    Change the property in that isolation, or declare it `@AtomicObserved`\
                    \(takesValues ? ", so that its value comes to the handler" : " and pass `on:`").
                    """
                }
            let changed = isEvent || isForeign || list.hook == nil ? name : "What \(name) reads"
            return """
                \(changed) was \(isEvent ? "sent" : "changed") outside the isolation in which it was \
                observed at \(info.position), so the handler was not called. \(cure)
                """
        }
    }

    /// Handles a change of an atomic property for an observer of the whole object who must not be called here.
    func takeElsewhere(_ info: ObservationInfo) {
        if info.flags.isUnprotected { return refuseUnprotected(info) }
        let state = info.enter()
        state.isRemoved ? info.leaveWithoutCall() : leaveElsewhere(info, isOfAtomic: true, isStarting: state.isStarting)
    }

    /// Lets the value come home after a change elsewhere, or refuses the change, and ends the call that `enter()` counted.
    private func leaveElsewhere(_ info: ObservationInfo, isOfAtomic: Bool, isStarting: Bool = false) {
        if isOfAtomic, comeHome(info, isStarting: isStarting) { return }
        refuse(info, isOfAtomic: isOfAtomic)
        info.leaveWithoutCall()
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
        _ = info.withOwner { $0.counts.seldom.wrongIsolation.count() }
        if info.isLogged { DiagnosticsHook.log(.wrongIsolation, info) }
        info.withList { ObservationDiagnostics.warnOnce(.misplacedChange, at: info.position, message($0)) }
    }
}
