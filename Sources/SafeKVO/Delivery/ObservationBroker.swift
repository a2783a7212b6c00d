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

    /// Delivers an event to one registration, now and on this thread, unless the event must wait.
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

    /// Delivers an event to one registration, outside a delivery to a whole list.
    package func forwardAlone(_ event: EventPointer, to info: ObservationInfo, box: (EventPointer) -> EventBox) {
        // SAFETY: the caller keeps the registration alive, and the registration keeps its list alive until the observation
        // has ended. The frame is used only during the call.
        unsafe DeliveryFrame.run(info.list) { frame in
            unsafe frame.pointee.isOfNoChange()
            unsafe frame.pointee.info = Unretained(info)
            forward(event, to: info, box: box)
        }
    }

    /// Delivers the initial event, or an event that has waited for its turn.
    ///
    /// - Parameter mayRead: `false` if this thread may not read the observed object, because another thread has changed it.
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

    /// Delivers an event on this thread, which is in the isolation of the handler.
    ///
    /// `box` is a copy of the event. The copy waits if the controller is paused.
    func forwardInPlace(_ event: EventPointer, to info: ObservationInfo, box: EventBox) {
        let state = info.enter()
        if state.isRemoved { return info.leaveWithoutCall() }
        if state.isPaused { return passOver(event, info, mustRead: false) { _ in box } }
        _ = info.withOwner { state.isLogged ? callLogged(info, $0, event) : call(info, $0, event) }
    }

    /// Delivers the events that other threads stored while the observer was being called.
    ///
    /// The thread that ends the last call of the observer calls this function.
    @inline(never)
    func handOver(to info: ObservationInfo) {
        repeat {
            let state = info.enter()
            if state.bits & (InfoState.removed | InfoState.callMask | InfoState.paused | InfoState.starting) != 0 { continue }
            // SAFETY: `enter()` has counted this call, so the registration keeps its list alive until `leaveAsking()`.
            // The frame is not used after the closure has returned.
            unsafe DeliveryFrame.run(info.list) { frame in
                unsafe frame.pointee.isOfNoChange()
                unsafe frame.pointee.info = Unretained(info)
                while let event = info.withList({ $0.withRecord { $0.nextMail(for: info) } }) {
                    event.withEvent { forwardInTurn($0, to: info, mayRead: !info.flags.contains(.hops)) { _ in event } }
                }
            }
        } while info.leaveAsking()
    }

    /// Stores an event, to be delivered by the thread that is calling the observer or by the thread that resumes the controller.
    ///
    /// The replaced events are released outside the lock, because this may run code of the program.
    private func leave(_ event: EventBox, to info: ObservationInfo) {
        // SAFETY: until the count of `enter()` is undone, the registration keeps its list alive.
        let older = unsafe info.list.with { $0.withRecord { $0.leave(event, for: info) } }
        for _ in older { info.noteOvertaken() }
        withExtendedLifetime(older) {}
    }

    /// Skips the call because the controller is paused, and undoes the count of `enter()`.
    ///
    /// A handler of whole values gets the newest value after the pause, so the event is stored if this thread is in the handler's
    /// isolation. Other events are dropped. If `mustRead` is `true`, the present value is stored instead, because the thread that resumes
    /// might not be allowed to read it.
    private func passOver(_ event: EventPointer, _ info: ObservationInfo, mustRead: Bool, _ box: (EventPointer) -> EventBox) {
        guard info.flags.contains(.wholeValue), info.isInItsIsolation else { return info.leaveWithoutCall() }
        let given = box(event)
        if !mustRead {
            leave(given, to: info)
        } else if let hops = info.withExtras({ $0.hops }) {
            _ = hops.readInTurn { leave(info.present(insteadOf: given), to: info) }
        } else {
            leave(info.present(insteadOf: given), to: info)
        }
        info.leaveWithoutCall()
    }

    /// Delivers an event to a registration that is removed, paused or logged, or whose observer is being called.
    ///
    /// This function undoes the `enter()` of its caller.
    @inline(never)
    private func forwardToUnusual(
        _ event: EventPointer, _ info: ObservationInfo, _ state: InfoState, _ box: (EventPointer) -> EventBox
    ) {
        if state.isRemoved { return info.leaveWithoutCall() }
        if state.bits & InfoState.starting == 0 {
            if state.isPaused, !info.decidesOnPauses { return passOver(event, info, mustRead: state.rereads, box) }
            if state.hasCalls, info.isCalledOnOneThread, !DeliveryFrame.isCalling(info) {
                let given = box(event)
                // End this call first: `leave` may run code of the program, which must not find a call of the observer in progress.
                DeliveryFrame.endCall()
                leave(given, to: info)
                return info.leaveWithoutCall()
            }
            return callUnusual(event, info, state, box)
        }
        // SAFETY: until the count of `enter()` is undone, the registration keeps its list alive.
        let isPostponed = unsafe info.list.with { $0.record.postpone(box(event), for: info) }
        info.leaveWithoutCall()
        if !isPostponed { forward(event, to: info, box: box) }
    }

    /// Calls the handler, with the present value if the event's value may be outdated, and logs the call if required.
    ///
    /// The caller must have counted a call with `enter()`. This function ends that call.
    private func callUnusual(
        _ event: EventPointer, _ info: ObservationInfo, _ state: InfoState, _ box: (EventPointer) -> EventBox
    ) {
        if !state.rereads { return state.isLogged ? callLogged(info, event, box) : call(info, event, box) }
        if let hops = info.withExtras({ $0.hops }) { return readAgain(event, info, hops, box) }
        let present = info.present(insteadOf: box(event))
        // The read may have run a getter that removed the observation.
        if info.isOver { return info.leaveWithoutCall() }
        present.withEvent { state.isLogged ? callLogged(info, $0) { _ in present } : call(info, $0) { _ in present } }
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

    /// Calls the handler, and retains the observer only until the handler returns.
    ///
    /// With a longer retain, an observer that nobody else retains could stay alive and get later events.
    ///
    /// - Returns: `false` if the observer has been deallocated.
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

    /// Calls a handler whose reads must not be recorded as reads of the getter that runs on this thread.
    @inline(never)
    private func callUnrecorded(_ info: ObservationInfo, _ observer: AnyObject, _ event: EventPointer) {
        Recording.suspended { info.call(observer: observer, event: event) }
    }

    /// Drops the event, because the observer has been deallocated, and ends the observer's observations.
    @inline(never)
    private func swallow(_ info: ObservationInfo, _ owner: ObservationOwner) {
        info.uncountDelivery()
        let dropped = owner.counts.dropped.count()
        if info.isLogged { ObservationDiagnostics.log(.dropped, info) }
        _ = info.endWithin(for: .observerDeinitialized)
        // Search the controller only at dropped call 1, 2, 4, 8 and so on. It may have many observations that only other threads may end.
        if dropped.nonzeroBitCount == 1 { owner.endAllHere() }
        info.leave()
    }
}

/// The time at which a logged call began, and the number of the change that the call reports.
struct LoggedCall {
    let start = ContinuousClock.now
    let change = DeliveryFrame.numberOfChange()
}

/// Access to the recorder of the current thread, which records the properties that a getter reads.
@usableFromInline
package enum Recording {
    /// Calls a closure whose reads the recorder of this thread must not mistake for reads of the getter.
    @inlinable
    package static func suspended<Result>(_ body: () -> Result) -> Result {
        // SAFETY: the pointer is restored on the same thread, and not dereferenced here.
        let recorder = unsafe safekvo_recorder()
        safekvo_set_recorder(nil)
        defer { unsafe safekvo_set_recorder(recorder) }
        return body()
    }
}
