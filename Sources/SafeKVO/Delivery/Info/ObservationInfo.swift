internal import CSafeKVO
public import Synchronization

/// One registration of an observer, called an *info*: its handler, its options and its state.
///
/// Two collections retain an info: the observer list of the observed key, and the controller's set of observations. What the observation
/// keeps for its handler is released after the end, where its isolation allows it. The info itself retains the memory of the list and of
/// the controller, and stays in memory as long as a delivery can reach it.
///
/// You meet infos only when you write an ``ObservationSource``.
@safe
public class ObservationInfo: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) The variables are protected as follows. Everything else is constant.
    // - `state`, `next` and `linkedAt` are atomic. `order` is written before other threads can find this object.
    // - The lock of the object's record guards `previous`; the lock of the owner guards `nextOfOwner` and
    //   `previousOfOwner`.
    // - The handler changes only before other threads can find this object, and by the thread that has set the flag `opened`, after the last
    //   call.

    /// Calls the handler of a registration; returns `false` if the handler was not called, because nothing had changed.
    @usableFromInline
    package typealias Invoke = (_ info: ObservationInfo, _ observer: AnyObject, _ event: EventPointer) -> Bool

    @usableFromInline final let state = Atomic<UInt64>(0)

    // MARK: Place in the observer list (guarded by the record's lock; deliveries read `next`)

    final let next = Atomic<UInt>(0)
    final var previous: Unretained<ObservationInfo>?
    /// The number of this registration among those of the object, in order of addition; zero while it is in no list.
    final let linkedAt = Atomic<UInt64>(0)
    /// The place in the order of delivery: `linkedAt`, or the `order` of the registration that this one replaced.
    ///
    /// Written under the record's lock, before deliveries can find this registration.
    final var order: UInt64 = 0

    // MARK: Facts that never change (in this order, the first three share a word)

    @usableFromInline package final let flags: InfoFlags
    private let line: UInt16
    private let thread: UInt32
    private let file: UInt

    // MARK: Place in the controller's set (guarded by the owner's lock)

    final var nextOfOwner: Unretained<ObservationInfo>?
    final var previousOfOwner: Unretained<ObservationInfo>?

    // MARK: Objects that the info keeps

    /// The list of observers to which this registration belongs.
    ///
    /// This object retains the list, or the record that owns the list.
    package final let list: Unretained<ObserverList>
    /// The observer and the counters of the controller; `nil` if the library itself is the observer.
    ///
    final let ownerReference: Unretained<ObservationOwner>?
    private let extrasReference: Unretained<InfoExtras>?
    private let invoke: Invoke
    @usableFromInline final let keyPath: AnyKeyPath?

    @usableFromInline
    package init(_ parts: InfoParts, invoke: @escaping Invoke) {
        list = parts.list
        ownerReference = parts.owner
        extrasReference = parts.extras
        self.invoke = invoke
        flags = parts.flags
        line = parts.position.line
        thread = Self.presentThread
        file = parts.position.file
        keyPath = unsafe parts.keyPath?.object
        var start = flags.contains(.initialCall) ? InfoState.starting : 0
        if ownerReference != nil, DiagnosticsHook.isLogging { start |= InfoState.logged }
        if start != 0 { state.store(start, ordering: .relaxed) }
        forEachReference { unsafe $0.retain() }
    }

    deinit { forEachReference { unsafe $0.release() } }

    // SAFETY: (of the references that `body` gets) `init` retains each object, while the caller of `init` keeps the objects alive, and
    // `deinit` releases it.
    @inline(__always)
    private func forEachReference(_ body: (Unretained<AnyObject>) -> Void) {
        if let extrasReference { body(extrasReference.erased) }
        body(withList { $0.keeper })
        if let ownerReference { body(ownerReference.erased) }
    }

    /// `true` if the registration is in its list; reliable only while the lock of the list's record is held.
    final var isLinked: Bool { linkedAt.load(ordering: .relaxed) != 0 }

    /// Returns `true` if a change must notify this registration, although it was added after the change began.
    ///
    /// Without that notification, an observer that another thread has registered meanwhile might never get the new value.
    final func isLate(upTo present: UInt64, _ hearsLate: Bool) -> Bool {
        if isLinked(after: present) { return false }
        return isDependency || hearsLate && mayBeOfOtherThread
    }

    private static var presentThread: UInt32 { UInt32(clamping: safekvo_thread()) }

    /// `true` if another thread has made this registration; also `true` for all threads after the first four billion, of which 32 bits
    /// cannot tell one from another.
    final var mayBeOfOtherThread: Bool { thread == .max || thread != Self.presentThread }

    /// Returns `true` if this registration was added after the serial number `cutoff` had been assigned.
    @inline(__always)
    final func isLinked(after cutoff: UInt64) -> Bool { linkedAt.load(ordering: .relaxed) > cutoff }

    final func isBefore(_ other: ObservationInfo) -> Bool { order < other.order }

    /// `true` if the library itself is the observer, because another key path depends on the observed property.
    @usableFromInline package final var isDependency: Bool { ownerReference == nil }

    package final var deliveries: UInt64 { InfoState(state.load(ordering: .relaxed)).deliveries }

    package final var isOver: Bool { InfoState(state.load(ordering: .acquiring)).isRemoved }

    /// Returns `true` if `owner` is the owner of this observation.
    ///
    /// Only the addresses are compared, so the caller must keep `owner` alive.
    package final func isOwned(by owner: ObservationOwner) -> Bool { ownerReference == Unretained(owner) }

    // SAFETY: (of the accessors below) this object retains the owner, the extras, and the list or the record that owns the list.

    @inline(__always)
    package final func withList<Result>(_ body: (ObserverList) -> Result) -> Result { unsafe list.with(body) }

    @usableFromInline
    package final var lastChange: UInt64 { withList { $0.lastChange } }

    @inline(__always)
    final func withExtras<Result>(_ body: (InfoExtras) -> Result?) -> Result? {
        guard let extrasReference else { return nil }
        return unsafe extrasReference.with(body)
    }

    @inline(__always)
    package final func withOwner<Result>(_ body: (ObservationOwner) -> Result) -> Result? {
        guard let ownerReference else { return nil }
        return unsafe ownerReference.with(body)
    }

    package final var position: SourcePosition { SourcePosition(file: file, line: line) }

    /// `true` if the handler only stores what it gets in the buffer of an asynchronous sequence, which any thread may do.
    final var isBuffered: Bool { flags.handlerKind == .sequence && !flags.contains(.comparesValues) }

    /// `true` if the handler runs only in the isolation in which it was registered.
    final var hasHome: Bool { !flags.isDisjoint(with: [.mainActor, .otherIsolation]) && !isBuffered }

    /// `true` if this thread is in the handler's isolation, or the handler has none.
    ///
    /// The result has no meaning for a handler that was registered with `on:`.
    final var isInItsIsolation: Bool {
        flags.contains(.mainActor) ? safekvo_is_on_main_actor() : withExtras { $0.isolation?.isCurrent } ?? true
    }

    /// Returns `true` if this thread may call the handler after a change of an atomic property, or the handler sees to its isolation itself.
    ///
    /// A manual notification (`isByHand`) may come on the thread of a handler that has no isolation.
    final func mayBeCalledHere(isByHand: Bool) -> Bool {
        if flags.isUnprotected { return isByHand }
        return !flags.isDisjoint(with: [.transfers, .sendable]) || isBuffered || isInItsIsolation
    }

    final var tag: ObservationTag? { withExtras { $0.tag } }

    final var isLogged: Bool { InfoState(state.load(ordering: .relaxed)).isLogged }

    // MARK: Calls

    /// Counts a call before it begins, and returns the state before this count.
    ///
    /// If that state forbids the call, the caller must call `leaveWithoutCall()`.
    @inline(__always)
    final func enter() -> InfoState {
        defer { SchedulePoint.pass(.afterEnter) }
        return InfoState(state.wrappingAdd(InfoState.call + InfoState.delivery, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Ends a call that `enter()` counted.
    ///
    /// This may release the handler, or call it for what other threads have changed meanwhile.
    @inline(__always)
    final func leave() {
        SchedulePoint.pass(.beforeLeave)
        let after = InfoState(state.wrappingSubtract(InfoState.call, ordering: .acquiringAndReleasing).newValue)
        if after.bits & (InfoState.removed | InfoState.marked) != 0 { leaveUnusual(after) }
    }

    /// Takes back the call that `enter()` counted, because the handler is not called after all.
    ///
    /// This may release the handler, or call it for what other threads have changed meanwhile.
    final func leaveWithoutCall() {
        if leaveAsking() { ObservationBroker.shared.handOver(to: self) }
    }

    /// Takes back the call that `enter()` counted, because the handler is not called after all.
    ///
    /// Returns `true` if the caller must call the handler for what other threads have changed meanwhile.
    final func leaveAsking() -> Bool {
        SchedulePoint.pass(.beforeLeave)
        let uncounted = InfoState.call + InfoState.delivery
        let after = InfoState(state.wrappingSubtract(uncounted, ordering: .acquiringAndReleasing).newValue)
        if after.isRemoved { leaveRemoved() }
        return !after.isRemoved && after.mustHandOver
    }

    @inline(never)
    private func leaveUnusual(_ after: InfoState) {
        if after.isRemoved { return leaveRemoved() }
        if after.mustHandOver { ObservationBroker.shared.handOver(to: self) }
    }

    /// Takes back one call in the number of deliveries, because the handler was not called.
    ///
    /// The caller must also call `leave()`.
    @inline(__always)
    final func uncountDelivery() { state.wrappingSubtract(InfoState.delivery, ordering: .relaxed) }

    /// Calls the handler; returns `false` if the handler was not called, because nothing had changed.
    ///
    /// Must be called between `enter()` and `leave()`.
    @discardableResult
    @inline(__always)
    final func call(observer: AnyObject, event: EventPointer) -> Bool {
        let called = invoke(self, observer, event)
        if !called { uncountDelivery() }
        return called
    }

    /// Releases the handler, after its last call.
    @usableFromInline
    package func releaseHandler() {}

    /// Takes the handler out of this object, after its last call.
    @usableFromInline
    package func takeHandler() -> Any? { nil }

    /// Returns an event with the present value; `nil` if the value cannot be read here, so that whoever can read it delivers it.
    ///
    /// Only one thread at a time may call this function. Otherwise an older value could be delivered after a newer one.
    package func presentEvent() -> EventBox? { nil }

    @usableFromInline
    @inline(never)
    final func noteOvertaken() { _ = withOwner { $0.counts.seldom.overtaken.count() } }

    // MARK: The end

    /// The isolation of the handler, if this thread is not in it; `nil` also if it has none.
    package final var isolationElsewhere: (any DeliveryTarget)? { isInItsIsolation ? nil : isolationTarget }

    /// The isolation of the handler; `nil` if it has none.
    final var isolationTarget: (any DeliveryTarget)? {
        flags.contains(.mainActor) ? MainActorTarget.shared : withExtras { $0.isolation?.target }
    }

    /// `true` if this thread runs on the actor on which the handler was formed.
    final var mayEndHere: Bool { !flags.isDisjoint(with: [.mainActor, .otherIsolation]) && isInItsIsolation }

    /// Marks the observation as removed, so that no further call of the handler starts; returns `false` if it was removed before.
    final func markRemoved(for reason: ObservationEndReason) -> Bool {
        SchedulePoint.pass(.beforeRemoval)
        return changeState { $0.isRemoved ? nil : $0.removing(for: reason) } != nil
    }

    /// Replaces the state by the one that a closure returns, and returns the state before; does nothing if the closure returns `nil`.
    @inline(__always)
    private func changeState(_ change: (InfoState) -> InfoState?) -> InfoState? {
        var current = InfoState(state.load(ordering: .relaxed))
        while let changed = change(current) {
            let (exchanged, original) = state.compareExchange(
                expected: current.bits, desired: changed.bits, ordering: .acquiringAndReleasing)
            if exchanged { return current }
            current = InfoState(original)
        }
        return nil
    }

    /// Who ends an observation, or goes on with its end.
    package enum Ender {
        /// A call of the handler, or of the controller, the token or the sequence: it uses the region of a handler that has no home.
        case region
        case anyone
    }

    /// Who may let go of what the observation keeps.
    private enum Gate {
        /// This thread: everything is `Sendable`, or this is the home, or the caller uses the region of a handler that has no home.
        ///
        /// In the home (`isHome`), only a call on this stack is one of the handler.
        case here(isHome: Bool)
        /// The home, to which a job must go.
        case home(any DeliveryTarget)
        /// The controller, by its next call or its end.
        case owner
    }

    private func gate(by ender: Ender) -> Gate {
        let isolation = withExtras { $0.isolation }
        // A handler that any thread may call has an isolation only if the source need not be `Sendable`.
        if isDependency || flags.contains(.transfers) || flags.contains(.sendable) && isolation == nil { return .here(isHome: false) }
        if flags.contains(.mainActor) {
            return safekvo_is_on_main_actor() ? .here(isHome: true) : .home(MainActorTarget.shared)
        }
        guard let isolation else { return ender == .region ? .here(isHome: false) : .owner }
        let isHome = !flags.contains(.sendable)
        if isolation.isCurrent { return .here(isHome: isHome) }
        if let home = isolation.livingTarget { return .home(home) }
        return ender == .region ? .here(isHome: isHome) : .owner
    }

    /// Ends the observation; returns `false` if the observation had ended before.
    ///
    /// Several threads may call this function at once.
    @discardableResult
    package final func end(for reason: ObservationEndReason, by ender: Ender = .anyone) -> Bool {
        let gate = gate(by: ender)
        if case .owner = gate {
            // The entry stays in the controller's set, for what is kept to take its place.
            guard markRemoved(for: reason) else { return false }
        } else {
            guard withOwner({ $0.forget(self, for: reason) }) ?? markRemoved(for: reason) else { return false }
        }
        finishEnd(through: gate)
        return true
    }

    /// Goes on with the end of a registration that the caller, a call of the controller, has marked as removed and taken out of the set.
    final func finishRemoval() { finishEnd(through: gate(by: .region)) }

    /// Goes on with the end of a removed registration after the end of a call.
    private func leaveRemoved() {
        // The call was one of the region, if the handler has no home. Otherwise this may be a thread that has found out that it is elsewhere.
        let gate = gate(by: flags.isUnprotected ? .region : .anyone)
        switch gate {
        // The thread that has found the home elsewhere has sent a job there, which no call can hinder that is made elsewhere, unless all are.
        case .home: flags.contains(.sendable) ? finishEnd(through: gate) : reportIfLast()
        case .here, .owner: finishEnd(through: gate, isLeaving: true)
        }
    }

    /// Takes a removed registration out of its list, reports its end after its last call, and lets go of what it keeps, or leaves that to the
    /// home or the controller.
    private func finishEnd(through gate: Gate, isLeaving: Bool = false) {
        withList { $0.unlink(self) }
        switch gate {
        case .here(let isHome):
            // A handler that runs only in its home is running if it is on this stack. Other threads are counted that find out that they are
            // elsewhere.
            let isRunning = isHome && (isLeaving ? DeliveryFrame.isCalling(self) : DeliveryFrame.isRunning(self))
            let before = changeState { state in
                if state.isOpened || state.hasCalls && (isRunning || !isHome) { return nil }
                return InfoState(state.bits | InfoState.opened | (state.hasCalls ? 0 : InfoState.reported))
            }
            guard let before else { return reportIfLast() }
            // Another thread may have left the entry in the controller's set.
            if isLeaving { withOwner { $0.drop(self) } }
            if !before.hasCalls, !before.isReported { report(before) }
            EndQueue.run(self)
        case .home(let home):
            reportIfLast()
            home.enqueue { self.finishEnd(through: self.gate(by: .anyone)) }
        case .owner:
            reportIfLast()
            SchedulePoint.pass(.beforeRelease)
            withOwner { $0.keepHold(of: self) }
        }
    }

    /// Moves what the observation keeps into a hold; returns `nil` if a call is running, or if somebody has let go of it already.
    final func takeHold() -> Hold? {
        let before = changeState { state in
            state.isOpened || state.hasCalls ? nil : InfoState(state.bits | InfoState.opened)
        }
        guard let before else { return nil }
        let isDead = before.reason == .objectDeinitialized
        var contents: [Any] = withExtras { $0.takeKept() } ?? []
        if let handler = takeHandler() { contents.append(handler) }
        if let last = withList({ $0.hook?.takeUnwanted(of: self) }) { contents.append(last) }
        if flags.contains(.retainsSubject) { contents.append(withList { $0.withRecord { $0.takeSubject() } }) }
        return Hold(of: isDead ? nil : self, contents)
    }

    /// Lets the list's hook know that the hold of the registration is let go of.
    final func willLetGo() { withList { $0.hook?.willLetGo(self, of: $0) } }

    private func reportIfLast() {
        let before = changeState { state in
            state.isReported || state.hasCalls ? nil : InfoState(state.bits | InfoState.reported)
        }
        if let before { report(before) }
    }

    /// Reports the end, after the last call of the handler.
    private func report(_ ended: InfoState) {
        if ended.deliveries > 0 { _ = withOwner { $0.counts.delivered.count(ended.deliveries) } }
        let waiting = withExtras { $0.transfers?.end() } ?? 0
        if waiting > 0 { noteUndelivered(waiting, ended) }
        withExtras { $0.takeOnTermination()?(ended.reason) }
        if ended.bits & (InfoState.logged | InfoState.marked) != 0 { noteUnusualEnd(ended) }
    }
}

extension ObservationInfo: Ended {
    /// Releases the handler, what belongs to it, and the observed object.
    ///
    /// No call is running or can start. The caller holds no lock.
    final func letGo() {
        SchedulePoint.pass(.beforeRelease)
        willLetGo()
        releaseHandler()
        withExtras { $0.releaseKept() }
        withExtendedLifetime(withList { $0.hook?.takeUnwanted(of: self) }) {}
        if flags.contains(.retainsSubject) { withList { $0.withRecord { $0.releaseSubject() } } }
    }
}
