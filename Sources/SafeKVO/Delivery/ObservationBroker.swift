public import CSafeKVO
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

    static let totals = AtomicCounters()

    private init() {}

    @inline(__always)
    func forward(_ event: EventPointer, to info: ObservationInfo, box: (EventPointer) -> EventBox) {
        let state = info.enter()
        let unusual =
            InfoState.removed | InfoState.starting | InfoState.logged | InfoState.callMask | InfoState.paused | InfoState.rereads
        if state.bits & unusual != 0 {
            return forwardToUnusual(event, info, state, box)
        }
        call(info, event, box)
    }

    package func forwardAlone(_ event: EventPointer, to info: ObservationInfo, box: (EventPointer) -> EventBox) {
        DeliveryFrame.run(alone: info) { _ in forward(event, to: info, box: box) }
    }

    /// Delivers the event of the initial call, or an event that waited for a call or a pause to end.
    ///
    /// - Parameters:
    ///   - mayRead: `false` if this thread might not be allowed to read the observed object.
    ///   - box: Copies the event if the delivery must wait again.
    func forwardInTurn(_ event: EventPointer, to info: ObservationInfo, mayRead: Bool = true, box: (EventPointer) -> EventBox) {
        let state = info.enter()
        if state.isRemoved { return info.leaveWithoutCall() }
        if state.isPaused, !info.decidesOnPauses { return passOver(event, info, mustRead: mayRead && state.rereads, box) }
        if !mayRead, state.rereads, let hops = info.withExtras({ $0.hops }) {
            logEnqueued(info)
            schedule(box(event), info, hops)
            return info.leaveWithoutCall()
        }
        callUnusual(event, info, state, box)
    }

    /// Delivers an event on this thread, which must be in the handler's isolation.
    func forwardInPlace(_ event: EventPointer, to info: ObservationInfo, box: EventBox) {
        let state = info.enter()
        if state.isRemoved { return info.leaveWithoutCall() }
        if state.isPaused { return passOver(event, info, mustRead: false) { _ in box } }
        _ = info.withOwner { state.isLogged ? callLogged(info, $0, event) : call(info, $0, event) }
    }

    /// Delivers the events that other threads stored during the last call of the handler.
    @inline(never)
    func handOver(to info: ObservationInfo) {
        repeat {
            let state = info.enter()
            if state.bits & (InfoState.removed | InfoState.callMask | InfoState.paused | InfoState.starting) != 0 { continue }
            DeliveryFrame.run(alone: info) { frame in
                while let event = info.withList({ $0.withRecord { $0.nextMail(for: info) } }) {
                    frame.call(info)
                    event.withEvent { forwardInTurn($0, to: info, mayRead: !info.flags.contains(.hops)) { _ in event } }
                }
            }
        } while info.leaveAsking()
    }

    private func leave(_ event: EventBox, to info: ObservationInfo) {
        let older = info.withList { $0.withRecord { $0.leave(event, for: info) } }
        for _ in older { info.noteOvertaken() }
        withExtendedLifetime(older) {}
    }

    /// Handles an event during a pause: stores the event until the end of the pause, or drops the event.
    ///
    /// Stores the event only if the handler takes values, not changes, and the change was made in the handler's isolation.
    private func passOver(_ event: EventPointer, _ info: ObservationInfo, mustRead: Bool, _ box: (EventPointer) -> EventBox) {
        guard info.flags.contains(.wholeValue), info.isInItsIsolation else { return info.leaveWithoutCall() }
        let given = box(event)
        // This thread does not call the handler, but may run a `deinit` below. What that `deinit` changes must not count as a change by the
        // handler, which another thread may be running.
        DeliveryFrame.endCall(of: info)
        if !mustRead {
            leave(given, to: info)
        } else if let hops = info.withExtras({ $0.hops }) {
            _ = hops.readInTurn { leave(info.present(insteadOf: given), to: info) }
        } else {
            leave(info.present(insteadOf: given), to: info)
        }
        info.leaveWithoutCall()
    }

    /// Delivers, stores or drops an event for a registration in a rare state, such as removed, paused or logged.
    @inline(never)
    private func forwardToUnusual(
        _ event: EventPointer, _ info: ObservationInfo, _ state: InfoState, _ box: (EventPointer) -> EventBox
    ) {
        if state.isRemoved { return info.leaveWithoutCall() }
        if state.hasTooManyCalls { info.stopForTooManyCalls() }
        if state.bits & InfoState.starting == 0 {
            if state.isPaused, !info.decidesOnPauses { return passOver(event, info, mustRead: state.rereads, box) }
            if state.hasCalls, info.isCalledOnOneThread, !DeliveryFrame.isCalling(info) {
                let given = box(event)
                // Another thread is calling the handler, but the frame of this delivery says that this thread is calling the handler.
                // Correct the frame before `leave` may run a `deinit`: a change by that `deinit` must not count as a change by the handler.
                DeliveryFrame.endCall(of: info)
                leave(given, to: info)
                return info.leaveWithoutCall()
            }
            return callUnusual(event, info, state, box)
        }
        let isPostponed = info.withList { $0.record.postpone(box(event), for: info) }
        info.leaveWithoutCall()
        if !isPostponed { forward(event, to: info, box: box) }
    }

    /// Calls the handler, with the present value if the event's value may be outdated.
    private func callUnusual(
        _ event: EventPointer, _ info: ObservationInfo, _ state: InfoState, _ box: (EventPointer) -> EventBox
    ) {
        if !state.rereads { return state.isLogged ? callLogged(info, event, box) : call(info, event, box) }
        if let hops = info.withExtras({ $0.hops }) { return readAgain(event, info, hops, box) }
        let present = info.present(insteadOf: box(event))
        // The read may have run a getter that removed the observation.
        if info.isOver { return info.leaveWithoutCall() }
        withExtendedLifetime(present) {
            present.withEvent { state.isLogged ? callLogged(info, $0) { _ in present } : call(info, $0) { _ in present } }
            // The call has ended. So what a `deinit` changes at the release of `present` must not count as a change by the handler.
            DeliveryFrame.endCall(of: info)
        }
    }

    @inline(__always)
    private func call(_ info: ObservationInfo, _ event: EventPointer, _ box: (EventPointer) -> EventBox) {
        let called: Void? = info.withOwner { owner in
            if !info.flags.isDisjoint(with: .hasIsolation), !isInPlace(info, owner, event, box) { return }
            call(info, owner, event)
        }
        if called == nil {
            info.call(observer: info, event: event)
            info.leave()
        }
    }

    @inline(__always)
    private func call(_ info: ObservationInfo, _ owner: ObservationOwner, _ event: EventPointer) {
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
    private func callLogged(_ info: ObservationInfo, _ event: EventPointer, _ box: (EventPointer) -> EventBox) {
        _ = info.withOwner { owner in
            if !info.flags.isDisjoint(with: .hasIsolation), !isInPlace(info, owner, event, box) { return }
            callLogged(info, owner, event)
        }
    }

    private func callLogged(_ info: ObservationInfo, _ owner: ObservationOwner, _ event: EventPointer) {
        let call = LoggedCall()
        let isCalled = owner.observer.map { observer in
            Recording.suspended { info.callTelling(observer: observer, event: event) }
        }
        guard let isCalled else { return swallow(info, owner) }
        ObservationDiagnostics.log(isCalled ? .delivered : .leftOut, info, call)
        info.leave()
    }

    @inline(never)
    private func callUnrecorded(_ info: ObservationInfo, _ observer: AnyObject, _ event: EventPointer) {
        Recording.suspended { info.call(observer: observer, event: event) }
    }

    /// Drops an event because the observer has been deallocated, and ends the observation.
    @inline(never)
    private func swallow(_ info: ObservationInfo, _ owner: ObservationOwner) {
        info.uncountDelivery()
        let dropped = owner.counts.dropped.count()
        if info.isLogged { ObservationDiagnostics.log(.dropped, info) }
        _ = info.endWithin(for: .observerDeinitialized)
        // Also end the controller's other observations. `endAllHere()` searches all of them, which is slow. So search only at the dropped
        // events number 1, 2, 4, 8 and so on.
        if dropped.nonzeroBitCount == 1 { owner.endAllHere() }
        info.leave()
    }
}

struct LoggedCall {
    let start = ContinuousClock.now
    let change = DeliveryFrame.numberOfChange()
}

/// The recorder of the current thread, which notes the properties that a getter reads.
@usableFromInline
package enum Recording {
    /// Calls a closure without recording the properties that the closure reads.
    @inlinable
    package static func suspended<Result>(_ body: () -> Result) -> Result {
        let recorder = safekvo_recorder()
        safekvo_set_recorder(0)
        defer { safekvo_set_recorder(recorder) }
        return body()
    }
}
