internal import CSafeKVO
internal import Synchronization

/// The object that forwards every event to the handlers of observers.
///
/// The broker checks that the observation has not been removed, and retains the observer while its handler runs. If the observer has been
/// deallocated, the broker drops the event, counts it, and ends the observation.
///
/// The broker holds no lock while it calls a handler. It has no state, so threads that change different objects do not compete for it.
public struct ObservationBroker: Sendable {
    /// The shared broker.
    public static let shared = ObservationBroker()

    private init() {}

    @inline(__always)
    func forward(_ event: EventPointer, to info: ObservationInfo, box: (EventPointer) -> EventBox) {
        let state = info.enter()
        let unusual =
            InfoState.removed | InfoState.starting | InfoState.logged | InfoState.callMask | InfoState.paused | InfoState.marked
        if state.bits & unusual != 0 {
            return forwardToUnusual(event, info, state, box)
        }
        call(info, event, box)
    }

    package func forwardAlone(_ event: EventPointer, to info: ObservationInfo, box: (EventPointer) -> EventBox) {
        DeliveryFrame.run(alone: info) { _ in forward(event, to: info, box: box) }
    }

    /// Delivers the event of the initial call.
    @usableFromInline
    func forwardFirst(_ event: EventPointer, to info: ObservationInfo, box: (EventPointer) -> EventBox) {
        DeliveryFrame.run(alone: info) { _ in forwardInTurn(event, to: info, box: box) }
    }

    /// Delivers the event of the initial call, an event that waited in a queue, or one with the present value.
    private func forwardInTurn(_ event: EventPointer, to info: ObservationInfo, box: (EventPointer) -> EventBox) {
        let state = info.enter()
        if !state.isRemoved, !state.isPaused || info.decidesOnPauses { return call(info, event, box, isLogged: state.isLogged) }
        if !state.isRemoved { passOver(info) }
        info.leaveWithoutCall()
    }

    /// Delivers an event on this thread, which must be in the handler's isolation.
    func forwardInPlace(_ event: EventPointer, to info: ObservationInfo) {
        let state = info.enter()
        if !state.isRemoved, !state.isPaused {
            _ = info.withOwner { call(info, $0, event, isLogged: state.isLogged) }
            return
        }
        if !state.isRemoved { passOver(info) }
        info.leaveWithoutCall()
    }

    /// Calls the handler for the changes that came at a bad time, such as during a call on another thread.
    ///
    /// For what comes meanwhile, a handler that belongs to an isolation is called by another job, so that other work can run in between.
    @inline(never)
    func handOver(to info: ObservationInfo) {
        if let place = info.placeToRead { return send(info, to: place) }
        var isDone = false
        // The frame is that of the calls below: it tells them from a call in which this function was called.
        while !isDone { DeliveryFrame.run(alone: info) { _ in isDone = handOverOnce(to: info) } }
    }

    /// Returns `false` if something has come meanwhile.
    private func handOverOnce(to info: ObservationInfo) -> Bool {
        let state = info.enter()
        let isBusy = state.hasCalls && (!info.hasHome || DeliveryFrame.isCalling(info))
        if state.bits & (InfoState.removed | InfoState.paused | InfoState.starting) == 0, !isBusy {
            // A read would trap while this thread mutates the property in place. The end of the mutation hands over.
            if info.withList({ $0.isOpen.load(ordering: .relaxed) }) {
                _ = info.leaveAsking()
                return true
            }
            deliverWaiting(to: info)
        }
        if !info.leaveAsking() { return true }
        guard info.hasHome, let home = info.isolationTarget else { return false }
        send(info, to: home)
        return true
    }

    /// Calls the handler with the events of its queue, and with the present value if there is a mark.
    ///
    /// A mark that was left during the initial call may stand for a value that is newer than these events, which are then overtaken.
    ///
    /// The caller has the handler's turn: no other thread is calling the handler, or may do so.
    func deliverWaiting(to info: ObservationInfo) {
        let state = info.takeMark()
        let (events, subject) = info.withList {
            $0.withRecord { ($0.takeQueue(of: info), state.isMarked ? $0.livingSubjectOfDelivery(to: info) : nil) }
        }
        var present: EventBox?
        defer {
            // The calls have ended. So what a `deinit` changes at the release of these events must not count as a change by the handler.
            DeliveryFrame.endCall(of: info)
            withExtendedLifetime((events, subject, present)) {}
        }
        let areOvertaken = state.isMarked && state.isStarting
        for event in events {
            if areOvertaken { info.noteOvertaken() } else { event.withEvent { forwardInTurn($0, to: info, box: $1) } }
        }
        present = subject == nil ? nil : info.presentEvent()
        present?.withEvent { forwardInTurn($0, to: info, box: $1) }
    }

    /// Leaves a mark during a pause if the handler takes values, not changes, and would have got this one.
    private func passOver(_ info: ObservationInfo) {
        if info.flags.contains(.wholeValue), info.isInItsIsolation || info.withList({ $0.isAtomic }) { leaveMark(to: info) }
    }

    func leaveMark(to info: ObservationInfo) { if info.mark() { info.noteOvertaken() } }

    /// Delivers or drops an event, or leaves a mark, for a registration in a rare state, such as removed, paused or logged.
    @inline(never)
    private func forwardToUnusual(
        _ event: EventPointer, _ info: ObservationInfo, _ state: InfoState, _ box: (EventPointer) -> EventBox
    ) {
        if state.hasTooManyCalls, !state.isRemoved { info.stopForTooManyCalls() }
        let mayCall = !state.hasCalls || !info.isCalledOnOneThread || DeliveryFrame.isCalling(info)
        if state.isRemoved {
            // Nobody is called any more.
        } else if state.isStarting {
            if !info.needsOnlyNewest {
                let isQueued = info.withList { $0.withRecord { $0.queue(box(event), for: info, ifStarting: true) } }
                info.leaveWithoutCall()
                if !isQueued { forward(event, to: info, box: box) }
                return
            }
            if info.withList({ $0.isAtomic }), comeHome(info, isStarting: true) { return }
            leaveMark(to: info)
        } else if state.isPaused, !info.decidesOnPauses {
            passOver(info)
        } else if !mayCall {
            if !info.needsOnlyNewest { _ = info.withList { $0.withRecord { $0.queue(box(event), for: info, ifStarting: false) } } }
            leaveMark(to: info)
        } else if state.isMarked, info.flags.handlerKind != .sequence, info.isInItsIsolation {
            // One call stands for this change and the one that left the mark.
            info.noteOvertaken()
            deliverWaiting(to: info)
        } else {
            return call(info, event, box, isLogged: state.isLogged)
        }
        info.leaveWithoutCall()
    }

    @inline(__always)
    private func call(_ info: ObservationInfo, _ event: EventPointer, _ box: (EventPointer) -> EventBox, isLogged: Bool = false) {
        let called: Void? = info.withOwner { owner in
            if !info.flags.isDisjoint(with: .hasPlace), !isInPlace(info, event, box) { return }
            call(info, owner, event, isLogged: isLogged)
        }
        if called == nil {
            info.call(observer: info, event: event)
            info.leave()
        }
    }

    @inline(__always)
    private func call(_ info: ObservationInfo, _ owner: ObservationOwner, _ event: EventPointer, isLogged: Bool) {
        if isLogged { return callLogged(info, owner, event) }
        if !callObserver(info, owner, event) { return swallow(info, owner) }
        info.leave()
    }

    /// Calls the handler; returns `false` if the observer has been deallocated.
    ///
    /// The observer is retained only during the call. A longer retain could keep a released observer alive for later events.
    @inline(__always)
    private func callObserver(_ info: ObservationInfo, _ owner: ObservationOwner, _ event: EventPointer) -> Bool {
        guard let observer = owner.observer else { return false }
        if !safekvo_is_recording() {
            info.call(observer: observer, event: event)
        } else {
            callUnrecorded(info, observer, event)
        }
        return true
    }

    @inline(never)
    private func callLogged(_ info: ObservationInfo, _ owner: ObservationOwner, _ event: EventPointer) {
        let call = LoggedCall()
        let isCalled = owner.observer.map { observer in
            Recording.suspended { info.call(observer: observer, event: event) }
        }
        guard let isCalled else { return swallow(info, owner) }
        DiagnosticsHook.log(isCalled ? .delivered : .leftOut, info, call)
        info.leave()
    }

    @inline(never)
    private func callUnrecorded(_ info: ObservationInfo, _ observer: AnyObject, _ event: EventPointer) {
        _ = Recording.suspended { info.call(observer: observer, event: event) }
    }

    /// Fills the buffer of a sequence.
    ///
    /// On this thread, the observer must not be retained. The handler does not use it, so the registration stands in for it.
    @inline(never)
    func callBuffered(_ info: ObservationInfo, _ event: EventPointer) {
        let call = info.isLogged ? LoggedCall() : nil
        _ = info.withOwner { owner in
            if owner.isObserverGone { return swallow(info, owner) }
            let isCalled = Recording.suspended { info.call(observer: info, event: event) }
            if let call { DiagnosticsHook.log(isCalled ? .delivered : .leftOut, info, call) }
            info.leave()
        }
    }

    /// Drops an event because the observer has been deallocated, and ends the observation.
    @inline(never)
    private func swallow(_ info: ObservationInfo, _ owner: ObservationOwner) {
        info.uncountDelivery()
        let dropped = owner.counts.seldom.dropped.count()
        if info.isLogged { DiagnosticsHook.log(.dropped, info) }
        info.end(for: .observerDeinitialized, by: info.caller)
        // Also end the controller's other observations. `endAllHere()` searches all of them, which is slow. So search only at the dropped
        // events number 1, 2, 4, 8 and so on.
        if dropped.nonzeroBitCount == 1 { owner.endAllHere() }
        info.leave()
    }
}
