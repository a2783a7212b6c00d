internal import CSafeKVO
internal import Synchronization

/// The one place that turns an info into a call.
///
/// Every source of observation forwards what happens to the broker. It sees that the info is live, takes the observer strongly for the
/// length of the call, and calls; or it swallows and counts what arrives for an observer that is gone. It holds no lock while it calls
/// out, and no two subjects share anything in it, not even a reference count: a broker is a value without state.
public struct ObservationBroker: Sendable {
    /// The broker.
    public static let shared = ObservationBroker()

    static let totals = BrokerTotals()

    private init() {}

    /// Delivers an event to one info, on this thread, now.
    @inline(__always)
    func forward(_ event: EventPointer, to info: ObservationInfo, box: (EventPointer) -> EventBox) {
        let state = info.enter()
        if state.bits & (InfoState.removed | InfoState.starting | InfoState.logged | InfoState.callMask | InfoState.paused) != 0 {
            return forwardToUnusual(event, info, state, box)
        }
        call(info, event, box)
    }

    /// Delivers to one info alone, outside the delivery to a list.
    package func forwardAlone(_ event: EventPointer, to info: ObservationInfo, box: (EventPointer) -> EventBox) {
        // SAFETY: the caller holds the info, and the info its list until it has ended; the frame is used during the call only.
        unsafe DeliveryFrame.run(info.list) { frame in
            unsafe frame.pointee.isOfNoChange()
            unsafe frame.pointee.info = Unretained(info)
            forward(event, to: info, box: box)
        }
    }

    /// Delivers to an info that is the caller's to call: its initial call, and what arrived during it or was left by other threads.
    func forwardInTurn(_ event: EventPointer, to info: ObservationInfo, box: (EventPointer) -> EventBox) {
        let state = info.enter()
        if state.isRemoved { return info.leaveWithoutCall() }
        if state.isPaused, !info.decidesOnPauses { return passOver(event, info, box) }
        if state.isLogged { return callLogged(info, event, box) }
        call(info, event, box)
    }

    /// Delivers to an info whose handler belongs where this runs.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - info: Whom to call.
    ///   - box: The copy of the event that has hopped.
    func forwardInPlace(_ event: EventPointer, to info: ObservationInfo, box: EventBox) {
        let state = info.enter()
        if state.isRemoved { return info.leaveWithoutCall() }
        if state.isPaused { return passOver(event, info) { _ in box } }
        _ = info.withOwner { state.isLogged ? callLogged(info, $0, event) : call(info, $0, event) }
    }

    /// Hands over what other threads left while the observer was called, until nothing is left or another thread calls it.
    ///
    /// Whoever leaves the info last does this, so that nothing stays behind and nobody waits.
    @inline(never)
    func handOver(to info: ObservationInfo) {
        repeat {
            let state = info.enter()
            // While the initial call is under way, the thread that makes it is the one that calls, and hands over when it is done.
            if state.bits & (InfoState.removed | InfoState.callMask | InfoState.paused | InfoState.starting) != 0 { continue }
            // SAFETY: the info has been entered, and keeps its list until it is left; the frame is used during the calls only.
            unsafe DeliveryFrame.run(info.list) { frame in
                unsafe frame.pointee.isOfNoChange()
                unsafe frame.pointee.info = Unretained(info)
                while let event = info.withList({ $0.withRecord { $0.nextMail(for: info) } }) {
                    event.withEvent { forwardInTurn($0, to: info) { _ in event } }
                }
            }
        } while info.leaveAsking()
    }

    /// Leaves an event to the thread that is calling the observer.
    private func leave(_ event: EventBox, to info: ObservationInfo) {
        // SAFETY: the info has been entered, and keeps its list until it is left.
        let older = unsafe info.list.with { $0.withRecord { $0.leave(event, for: info) } }
        // To release a value may make changes, which come here again.
        DeliveryFrame.endCall()
        for _ in older { info.noteOvertaken() }
        withExtendedLifetime(older) {}
    }

    /// Leaves out a call to an info that was entered and whose controller is paused.
    ///
    /// Of values, the newest waits until the controller is resumed. One of a change that was made outside the handler's isolation is nobody's.
    private func passOver(_ event: EventPointer, _ info: ObservationInfo, _ box: (EventPointer) -> EventBox) {
        guard info.flags.contains(.wholeValue), info.isInItsIsolation else { return info.leaveWithoutCall() }
        // SAFETY: the info has been entered, and keeps its list until it is left.
        let older = unsafe info.list.with { $0.withRecord { $0.leave(box(event), for: info) } }
        for _ in older { info.noteOvertaken() }
        info.leaveWithoutCall()
        withExtendedLifetime(older) {}
    }

    /// Delivers to an info that was entered and found to be removed, starting, paused or logged, or to have calls running.
    @inline(never)
    private func forwardToUnusual(
        _ event: EventPointer, _ info: ObservationInfo, _ state: InfoState, _ box: (EventPointer) -> EventBox
    ) {
        if state.isRemoved { return info.leaveWithoutCall() }
        if state.bits & InfoState.starting == 0 {
            if state.isPaused, !info.decidesOnPauses { return passOver(event, info, box) }
            if state.hasCalls, info.isCalledOnOneThread, !DeliveryFrame.isCalling(info) {
                leave(box(event), to: info)
                return info.leaveWithoutCall()
            }
            return state.isLogged ? callLogged(info, event, box) : call(info, event, box)
        }
        // SAFETY: the info has been entered, and keeps its list until it is left.
        let isPostponed = unsafe info.list.with { $0.record.postpone(box(event), for: info) }
        info.leaveWithoutCall()
        if !isPostponed { forward(event, to: info, box: box) }
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

    /// Calls the observer, which is released when this returns: what other threads have left must not find it alive for that reason.
    ///
    /// - Returns: false if it is gone.
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

    /// Calls an observer, not the library itself, and logs what came of it.
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

    /// Calls while a getter is being tracked on this thread: what the handler reads is not what the getter reads.
    @inline(never)
    private func callUnrecorded(_ info: ObservationInfo, _ observer: AnyObject, _ event: EventPointer) {
        Recording.suspended { info.call(observer: observer, event: event) }
    }

    /// The observer is gone: so is the observation.
    @inline(never)
    private func swallow(_ info: ObservationInfo, _ owner: ObservationOwner) {
        info.uncountDelivery()
        owner.countDropped()
        if info.isLogged { ObservationDiagnostics.log(.dropped, info) }
        _ = info.endWithin(for: .observerDeinitialized)
        info.leave()
    }
}

/// When a call began that will be logged, and for which change it is made.
struct LoggedCall {
    let start = ContinuousClock.now
    let change = DeliveryFrame.numberOfChange()
}

/// The counters of controllers that have ended.
struct BrokerTotals: ~Copyable, Sendable {
    let delivered = Atomic<UInt64>(0)
    let dropped = Atomic<UInt64>(0)
    let wrongIsolation = Atomic<UInt64>(0)
    let overtaken = Atomic<UInt64>(0)
    let ignoredAdds = Atomic<UInt64>(0)
    let ignoredRemoves = Atomic<UInt64>(0)
}
