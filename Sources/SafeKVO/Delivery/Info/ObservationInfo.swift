internal import CSafeKVO
public import Synchronization

/// One registration of an observer, called an *info*: its handler, its options and its state.
///
/// Two collections retain an info: the observer list of the observed key, and the controller's set of observations.
/// After the removal and the last call, the info releases the handler, the observed object, the list and the
/// controller. The info itself stays in memory as long as a delivery can reach it.
///
/// You meet infos only when you write an ``ObservationSource``.
@safe
public class ObservationInfo: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) The variables are protected as follows. Everything else is constant.
    // - `state`, `next`, `linkedAt` and `order` are atomic.
    // - The lock of the object's record guards `previous`; the lock of the owner guards `nextOfOwner` and
    //   `previousOfOwner`.
    // - The handler changes only before other threads can find this object, and after the last call.
    // - The list, the owner and the ``InfoExtras`` are used only by calls that `enter()` counted, by the thread that
    //   adds or removes the observation, and within `ifKept(_:)`.

    /// A function that calls the handler of a registration, or releases the handler if `event` is `nil`.
    ///
    /// It returns `false` if nothing had changed, so that the handler was not called. A closure is faster here than an overridden method of
    /// a generic class.
    @usableFromInline
    package typealias Invoke = (_ info: ObservationInfo, _ observer: AnyObject, _ event: EventPointer?) -> Bool

    @usableFromInline final let state = Atomic<UInt64>(0)

    // MARK: Place in the observer list (guarded by the record's lock; deliveries read `next`)

    final let next = Atomic<UInt>(0)
    final var previous: Unretained<ObservationInfo>?
    /// The serial number of the registration in its list, or zero while it is in no list.
    ///
    /// The registrations of one object are numbered in the order in which they are added. A delivery skips registrations that were added
    /// after the delivery began.
    final let linkedAt = Atomic<UInt32>(0)
    /// The registration's place in the order of delivery: `linkedAt`, or the `order` of the registration that it replaced.
    final let order = Atomic<UInt32>(0)

    // MARK: Facts that never change (in this order, the first three share a word)

    @usableFromInline package final let flags: InfoFlags
    private let line: UInt16
    final let thread: UInt32
    private let file: UnsafePointer<UInt8>?

    // MARK: Place in the controller's set (guarded by the owner's lock)

    final var nextOfOwner: Unretained<ObservationInfo>?
    final var previousOfOwner: Unretained<ObservationInfo>?

    // MARK: Objects that the info keeps

    /// The observer list of one key of one object, kept alive until the observation has ended.
    package final let list: Unretained<ObserverList>
    /// The controller's observer and counters, retained until the observation has ended; `nil` if the library itself is the observer.
    private let ownerReference: Unretained<ObservationOwner>?
    private let extrasReference: Unretained<InfoExtras>?
    private let invoke: Invoke
    @usableFromInline final let keyPath: AnyKeyPath?

    @usableFromInline
    package init(_ parts: InfoParts, invoke: @escaping Invoke) {
        list = parts.list
        unsafe list.with { $0.keeper }.retain()
        ownerReference = parts.owner
        unsafe ownerReference?.retain()
        extrasReference = parts.extras
        unsafe extrasReference?.retain()
        self.invoke = invoke
        flags = parts.flags
        line = parts.position.line
        thread = UInt32(truncatingIfNeeded: safekvo_thread())
        unsafe file = parts.position.file
        keyPath = unsafe parts.keyPath?.object
        var start = flags.contains(.initialCall) ? InfoState.starting : 0
        if ownerReference != nil, ObservationDiagnostics.isLogging { start |= InfoState.logged }
        if start != 0 { state.store(start, ordering: .relaxed) }
    }

    deinit {
        // Registrations that were never in a list, and the library's own, still hold their references. All others released them at their
        // end.
        if isDependency || !InfoState(state.load(ordering: .relaxed)).isDisposed { releaseReferences() }
    }

    @inline(__always)
    private func releaseReferences() {
        unsafe extrasReference?.release()
        unsafe withList { $0.keeper }.release()
        unsafe ownerReference?.release()
    }

    /// `true` if the registration is in its list; reliable only under the record's lock.
    final var isLinked: Bool { linkedAt.load(ordering: .relaxed) != 0 }

    /// Returns `true` if this registration must be notified of a change, although it was added after the change began.
    ///
    /// This holds for the library's own registrations. It also holds for an observer that another thread added, because its initial call
    /// may have delivered the old value.
    ///
    /// - Parameters:
    ///   - present: The newest serial number when the value changed. Later registrations need not be notified.
    ///   - hearsLate: `false` to leave out all observers.
    final func isLate(upTo present: UInt32, _ hearsLate: Bool) -> Bool {
        if isLinked(after: present) { return false }
        return isDependency || hearsLate && flags.contains(.initialCall) && thread != UInt32(truncatingIfNeeded: safekvo_thread())
    }

    /// Returns `true` if this registration was added after the serial number `limit` had been assigned.
    ///
    /// Serial numbers wrap around, so the sign of the difference decides.
    @inline(__always)
    final func isLinked(after limit: UInt32) -> Bool { Int32(bitPattern: linkedAt.load(ordering: .relaxed) &- limit) > 0 }

    final func isBefore(_ other: ObservationInfo) -> Bool {
        Int32(bitPattern: order.load(ordering: .relaxed) &- other.order.load(ordering: .relaxed)) < 0
    }

    /// Returns `true` if this registration comes after the place `serial` in the order of delivery.
    final func comes(after serial: UInt32) -> Bool { Int32(bitPattern: order.load(ordering: .relaxed) &- serial) > 0 }

    /// `true` if the library itself is the observer, because a computed or nested key path depends on the observed
    /// property.
    final var isDependency: Bool { ownerReference == nil }

    final var deliveries: UInt64 { InfoState(state.load(ordering: .relaxed)).deliveries }

    package final var isOver: Bool { InfoState(state.load(ordering: .acquiring)).isRemoved }

    /// Returns `true` if this registration belongs to the controller that `owner` represents.
    ///
    /// The function compares addresses only, so the caller must keep `owner` alive.
    final func isOwned(by owner: ObservationOwner) -> Bool { ownerReference == Unretained(owner) }

    @inline(__always)
    final func withList<Result>(_ body: (ObserverList) -> Result) -> Result { unsafe list.with(body) }

    /// The serial number of the last change of the observed key.
    @usableFromInline
    package final var lastChange: UInt64 { withList { $0.lastChange } }

    @inline(__always)
    final func withExtras<Result>(_ body: (InfoExtras) -> Result?) -> Result? {
        guard let extrasReference else { return nil }
        return unsafe extrasReference.with(body)
    }

    @inline(__always)
    final func withOwner<Result>(_ body: (ObservationOwner) -> Result) -> Result? {
        guard let ownerReference else { return nil }
        return unsafe ownerReference.with(body)
    }

    /// The line of source code that registered the observation.
    package final var position: SourcePosition { unsafe SourcePosition(file: file, line: line) }

    /// `true` if the calling thread is in the isolation of the handler, or the handler has no isolation.
    ///
    /// The result has no meaning for a handler that was registered with `on:`, because a queue calls such a handler.
    final var isInItsIsolation: Bool {
        flags.contains(.mainActor) ? safekvo_is_on_main_actor() : withExtras { $0.isolation?.isCurrent } ?? true
    }

    final var tag: ObservationTag? { withExtras { $0.tag } }

    final var isLogged: Bool { InfoState(state.load(ordering: .relaxed)).isLogged }

    // MARK: Calls

    /// Counts a call of the handler before it begins, and returns the previous state.
    ///
    /// If this state forbids the call, the caller must undo the count with `leaveWithoutCall()`.
    @inline(__always)
    final func enter() -> InfoState {
        InfoState(state.wrappingAdd(InfoState.call + InfoState.delivery, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Ends a call that `enter()` counted.
    ///
    /// The last call of a removed observation releases the handler. Otherwise, the function delivers the events that other threads stored
    /// meanwhile.
    @inline(__always)
    final func leave() {
        let after = InfoState(state.wrappingSubtract(InfoState.call, ordering: .acquiringAndReleasing).newValue)
        if after.bits & (InfoState.removed | InfoState.mail) != 0 { leaveUnusual(after) }
    }

    /// Undoes `enter()` without a call of the handler, and delivers the events that other threads stored meanwhile.
    final func leaveWithoutCall() {
        if leaveAsking() { ObservationBroker.shared.handOver(to: self) }
    }

    /// Undoes `enter()`; returns `true` if the caller must deliver the events that other threads stored meanwhile.
    final func leaveAsking() -> Bool {
        let uncounted = InfoState.call + InfoState.delivery
        let after = InfoState(state.wrappingSubtract(uncounted, ordering: .acquiringAndReleasing).newValue)
        if after.isRemoved { dispose() }
        return !after.isRemoved && after.mustHandOver
    }

    @inline(never)
    private func leaveUnusual(_ after: InfoState) {
        if after.isRemoved { return dispose() }
        if after.mustHandOver { ObservationBroker.shared.handOver(to: self) }
    }

    /// Subtracts one from the number of deliveries, because the handler was not called.
    ///
    /// The caller must still call `leave()`.
    @inline(__always)
    final func uncountDelivery() { state.wrappingSubtract(InfoState.delivery, ordering: .relaxed) }

    /// Calls the handler.
    ///
    /// Only ``ObservationBroker`` calls this, between `enter()` and `leave()`.
    @inline(__always)
    final func call(observer: AnyObject, event: EventPointer) {
        if !invoke(self, observer, event) { uncountDelivery() }
    }

    /// Calls the handler, and returns `false` if the handler did not run because nothing had changed.
    final func callTelling(observer: AnyObject, event: EventPointer) -> Bool {
        let called = invoke(self, observer, event)
        if !called { uncountDelivery() }
        return called
    }

    @usableFromInline
    @inline(never)
    final func noteOvertaken() { _ = withOwner { $0.counts.overtaken.count() } }

    @usableFromInline
    final func startDelivery(of event: EventPointer, box: (EventPointer) -> EventBox) {
        ObservationBroker.shared.forwardInTurn(event, to: self, box: box)
    }

    // MARK: The end

    /// Marks the observation as removed.
    ///
    /// - Returns: `false` if the observation had been removed before. If `true`, the caller must call
    ///   `finishRemoval()`.
    final func markRemoved(for reason: ObservationEndReason) -> Bool {
        var current = InfoState(state.load(ordering: .relaxed))
        while !current.isRemoved {
            let (exchanged, original) = state.compareExchange(
                expected: current.bits, desired: current.removing(for: reason).bits, ordering: .acquiringAndReleasing)
            if exchanged { return true }
            current = InfoState(original)
        }
        return false
    }

    /// Releases the objects of the observation if it has been removed and its last call has ended.
    ///
    /// The caller must hold no lock, because a released object may be deallocated and run code of the program.
    final func dispose() {
        let current = InfoState(state.load(ordering: .acquiring))
        guard current.isReleasable else { return }
        let (exchanged, _) = state.compareExchange(
            expected: current.bits, desired: current.bits | InfoState.disposed, ordering: .acquiringAndReleasing)
        guard exchanged else { return dispose() }
        didDispose(current)
    }

    private func didDispose(_ current: InfoState) {
        let deliveries = current.finalDeliveries
        if deliveries > 0 { _ = withOwner { $0.counts.delivered.count(deliveries) } }
        EndQueue.run(self)
    }

    /// Releases the objects that the observation kept, and reports its end.
    ///
    /// If the handler was formed in an actor's isolation, it and the observed object are released there, because they need not be
    /// `Sendable`.
    final func letGo() {
        if !flags.isDisjoint(with: [.mainActor, .otherIsolation]) {
            if let isolation = isolationElsewhere {
                notifyEnd()
                return isolation.enqueue { EndQueue.run(self) }
            }
        } else if isUnprotectedHere {
            warnOfUnprotectedRelease()
        }
        // A call without an event releases the handler. This needs no lock, because no other call is running and none can start.
        _ = invoke(self, self, nil)
        let waiting = withExtras { $0.releaseHandler() }
        notifyEnd(waiting: waiting ?? 0)
        if flags.contains(.retainsSubject) { withList { $0.withRecord { $0.releaseSubject() } } }
        if !isDependency { releaseReferences() }
    }

    @inline(__always)
    private func notifyEnd(waiting: Int = 0) {
        let ended = InfoState(state.load(ordering: .relaxed))
        if waiting > 0 { noteUndelivered(waiting, ended) }
        withExtras { $0.takeOnTermination()?(ended.reason) }
        if ended.bits & (InfoState.logged | InfoState.mail) != 0 { noteUnusualEnd(ended) }
    }

    /// The isolation in which the handler must be called and released, or `nil` if this thread may do so.
    ///
    /// The value is also `nil` if the actor has been deallocated.
    package final var isolationElsewhere: (any DeliveryTarget)? {
        if isInItsIsolation { return nil }
        return flags.contains(.mainActor) ? MainActorTarget.shared : withExtras { $0.isolation?.target }
    }

    /// `true` if the handler was formed on an actor, and this thread runs on that actor.
    ///
    /// Then this thread may end the observation of a deallocated observer, which releases objects that need not be `Sendable`.
    final var mayEndHere: Bool { !flags.isDisjoint(with: [.mainActor, .otherIsolation]) && isInItsIsolation }

    /// `true` if a handler that is not `Sendable` is about to be released on another thread than it was registered on.
    ///
    /// In a task the value is always `false`, because a task may change its thread.
    private var isUnprotectedHere: Bool {
        flags.isDisjoint(with: [.hops, .sendable]) && withOwner { $0.isShared } ?? false
            && thread != UInt32(truncatingIfNeeded: safekvo_thread()) && !Self.isInTask
    }

    // SAFETY: the closure only compares the task with `nil`.
    private static var isInTask: Bool { unsafe withUnsafeCurrentTask { unsafe $0 != nil } }

    @inline(never)
    private func warnOfUnprotectedRelease() {
        ObservationDiagnostics.warnOnce(
            .unprotectedRelease, at: position,
            """
            The observation of `\(withList { $0.qualifiedName })` at \(position) was registered outside any actor and ended on another thread. Its \
            handler and the observed object were released on that thread, although the compiler does not require them to be `Sendable`. \
            Register in an actor's isolation, which then releases them, or with `on: .anyThread` and a `Sendable` object.
            """)
    }

    /// Ends the observation: removes it from its controller and its list, and releases the handler and the observed object.
    ///
    /// Several threads may call this at once.
    ///
    /// - Returns: `true` if this call ended the observation.
    @discardableResult
    final func end(for reason: ObservationEndReason) -> Bool {
        if isDependency { return endWithin(for: reason) }
        // Count a call only to keep the `ObservationOwner` in memory until `leaveWithoutCall()`.
        defer { leaveWithoutCall() }
        return !enter().isRemoved && endWithin(for: reason)
    }

    final func endWithin(for reason: ObservationEndReason) -> Bool {
        guard withOwner({ $0.forget(self, for: reason) }) ?? markRemoved(for: reason) else { return false }
        finishRemoval()
        return true
    }

    /// Takes a removed registration out of its list, and releases its objects once no call of the handler is running.
    ///
    /// The caller must have marked the registration as removed and taken it out of its controller's set.
    final func finishRemoval() {
        withList { $0.unlink(self) }
        let current = InfoState(state.load(ordering: .acquiring))
        // The flag `disposed` is set if no call was running at the removal. Otherwise, the thread that ends the last call releases the
        // objects.
        current.isDisposed ? didDispose(current) : leave()
    }
}
