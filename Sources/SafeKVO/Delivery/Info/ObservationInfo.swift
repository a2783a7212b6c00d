internal import CSafeKVO
public import Synchronization

/// One observation: who is called, about what, and how far its life has come.
///
/// Subclasses hold the handler, with the types that it was written for.
///
/// An info hangs in two places, in the list of the key that it observes and in the set of the controller that made it, and each
/// holds a reference. At removal, as soon as no call is running in it, it releases all that it kept: handler, observed object, list and
/// controller. The info itself, which is small, stays until no delivery that might still see it is under way and nobody keeps a change of it.
///
/// You meet infos only when you write an ``ObservationSource``.
@safe
public class ObservationInfo: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `state` and `next` are atomic. `previous`, `linkedAt` and the linking belong to the record's
    // lock; the place in the set belongs to the owner's lock. The handler of a subclass is written before the info is published and replaced
    // once, by whoever finds the info removed with no call inside. The rest never changes. The list, the owner and the extras are kept until
    // then: they are used by the calls that `enter()` has counted in, by the thread that registers or removes the info, and inside `ifKept(_:)`.

    /// Calls the handler of an info; false if it left the call out, because nothing had changed.
    ///
    /// Without an event it lets the handler go: that is done here, where the types are known, and not in an overridden method, which of a generic
    /// class finds them out at each call.
    @usableFromInline
    package typealias Invoke = (_ info: ObservationInfo, _ observer: AnyObject, _ event: EventPointer?) -> Bool

    @usableFromInline final let state = Atomic<UInt64>(0)

    // MARK: Place in the observer list (guarded by the record's lock; `next` is read by deliveries)

    final let next = Atomic<UInt>(0)
    final var previous: Unretained<ObservationInfo>?
    /// The record's serial number when the info was linked, zero while it is not: later arrivals stay out of a delivery under way.
    final let linkedAt = Atomic<UInt32>(0)
    /// Where the info comes among those of all lists of its record: `linkedAt`, or that of the one it replaced.
    ///
    /// Written when the info is linked, before a delivery can see it, and when numbers are made anew.
    final let order = Atomic<UInt32>(0)

    // MARK: What it is (in this order, the first three share a word)

    @usableFromInline package final let flags: InfoFlags
    private let line: UInt16
    /// The number of the thread that made the info, cut short.
    final let thread: UInt32
    private let file: UnsafePointer<UInt8>?

    // MARK: Place in the controller's set (guarded by the owner's lock)

    final var nextOfOwner: Unretained<ObservationInfo>?
    final var previousOfOwner: Unretained<ObservationInfo>?

    // MARK: Whose it is

    /// The list that it hangs in, or hung in.
    ///
    /// The info retains what keeps the list until the observation has ended.
    package final let list: Unretained<ObserverList>
    /// The controller's core; nil in the infos with which the library follows the dependencies of a key path.
    ///
    /// The info retains it until the observation has ended, and the extras too.
    private let ownerReference: Unretained<ObservationOwner>?
    private let extrasReference: Unretained<InfoExtras>?
    /// Calls the handler.
    ///
    /// It captures nothing of the program's: that is in the info, which lets go of it.
    private let invoke: Invoke
    /// The key path as it was given to `observe`.
    @usableFromInline final let keyPath: AnyKeyPath?

    @usableFromInline
    package init(_ parts: InfoParts, invoke: @escaping Invoke) {
        // SAFETY: `releaseReferences()` balances these three.
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
        // An info that was not registered did not end either. A tracked path uses the lists of its dependencies when they have ended.
        if isDependency || !InfoState(state.load(ordering: .relaxed)).isDisposed { releaseReferences() }
    }

    @inline(__always)
    private func releaseReferences() {
        unsafe extrasReference?.release()
        unsafe withList { $0.keeper }.release()
        unsafe ownerReference?.release()
    }

    /// Whether the info hangs in its list.
    ///
    /// Known under the record's lock.
    final var isLinked: Bool { linkedAt.load(ordering: .relaxed) != 0 }

    /// Whether the info must hear of a change although it was linked after that began.
    ///
    /// It may have read the value before the change as its initial one, if another thread linked it. What this thread has linked meanwhile, its
    /// handlers or the program between an announcement and its end, knows what it reads.
    ///
    /// - Parameters:
    ///   - present: When the change was made, by the serial numbers: what is linked later knows of it.
    ///   - hearsLate: Whether that goes for observers too, and not for paths only.
    /// - Returns: whether it must.
    final func isLate(upTo present: UInt32, _ hearsLate: Bool) -> Bool {
        if isLinked(after: present) { return false }
        return isDependency || hearsLate && flags.contains(.initialCall) && thread != UInt32(truncatingIfNeeded: safekvo_thread())
    }

    /// Whether the info was linked later than when the record's serial number was `limit`.
    ///
    /// Serial numbers wrap around, so they are compared by their difference.
    @inline(__always)
    final func isLinked(after limit: UInt32) -> Bool { Int32(bitPattern: linkedAt.load(ordering: .relaxed) &- limit) > 0 }

    /// Whether the info comes before another of the same record.
    final func isBefore(_ other: ObservationInfo) -> Bool {
        Int32(bitPattern: order.load(ordering: .relaxed) &- other.order.load(ordering: .relaxed)) < 0
    }

    /// Whether the info's place in the order of delivery is behind a serial number.
    final func comes(after serial: UInt32) -> Bool { Int32(bitPattern: order.load(ordering: .relaxed) &- serial) > 0 }

    /// Whether the library itself is the observer, following a dependency.
    final var isDependency: Bool { ownerReference == nil }

    /// How many calls were made.
    final var deliveries: UInt64 { InfoState(state.load(ordering: .relaxed)).deliveries }

    /// Whether the observation has ended.
    package final var isOver: Bool { InfoState(state.load(ordering: .acquiring)).isRemoved }

    /// Whether an owner, which the caller holds, is this info's.
    final func isOwned(by owner: ObservationOwner) -> Bool { ownerReference == Unretained(owner) }

    /// Uses the list without taking a reference.
    ///
    /// The observation keeps it until it has ended.
    @inline(__always)
    final func withList<Result>(_ body: (ObserverList) -> Result) -> Result { unsafe list.with(body) }

    /// The number of the last change of what is observed; see ``ObserverList/lastChange``.
    @usableFromInline
    package final var lastChange: UInt64 { withList { $0.lastChange } }

    /// Uses what only some observations have without taking a reference.
    @inline(__always)
    final func withExtras<Result>(_ body: (InfoExtras) -> Result?) -> Result? {
        guard let extrasReference else { return nil }
        return unsafe extrasReference.with(body)
    }

    /// Uses the controller's core without taking a reference.
    @inline(__always)
    final func withOwner<Result>(_ body: (ObservationOwner) -> Result) -> Result? {
        guard let ownerReference else { return nil }
        return unsafe ownerReference.with(body)
    }

    /// Where the registration was written.
    package final var position: SourcePosition { unsafe SourcePosition(file: file, line: line) }

    /// Whether this is where the handler belongs, if it runs on the thread of the change.
    final var isInItsIsolation: Bool {
        flags.contains(.mainActor) ? safekvo_is_on_main_actor() : withExtras { $0.isolation?.isCurrent } ?? true
    }

    final var tag: ObservationTag? { withExtras { $0.tag } }

    /// Whether what becomes of it is logged.
    final var isLogged: Bool { InfoState(state.load(ordering: .relaxed)).isLogged }

    // MARK: Calls

    /// Counts a call in.
    ///
    /// If the answer is removed or starting, the caller must not call, and must count itself out.
    @inline(__always)
    final func enter() -> InfoState {
        InfoState(state.wrappingAdd(InfoState.call + InfoState.delivery, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Counts a call out, and ends the handler if this was the last call of a removed info.
    @inline(__always)
    final func leave() {
        let after = InfoState(state.wrappingSubtract(InfoState.call, ordering: .acquiringAndReleasing).newValue)
        if after.bits & (InfoState.removed | InfoState.mail) != 0 { leaveUnusual(after) }
    }

    /// Counts out a call that was never made.
    final func leaveWithoutCall() {
        if leaveAsking() { ObservationBroker.shared.handOver(to: self) }
    }

    /// Counts out a call that was never made.
    ///
    /// - Returns: `true` if the caller must hand over what other threads have left.
    final func leaveAsking() -> Bool {
        let uncounted = InfoState.call + InfoState.delivery
        let after = InfoState(state.wrappingSubtract(uncounted, ordering: .acquiringAndReleasing).newValue)
        if after.isRemoved { dispose() }
        return !after.isRemoved && after.mustHandOver
    }

    /// Does what is left to do for the thread that leaves: ends the handler of a removed info, or hands over what other threads have left.
    @inline(never)
    private func leaveUnusual(_ after: InfoState) {
        if after.isRemoved { return dispose() }
        if after.mustHandOver { ObservationBroker.shared.handOver(to: self) }
    }

    /// Takes back that a call was made; the caller stays counted in.
    @inline(__always)
    final func uncountDelivery() { state.wrappingSubtract(InfoState.delivery, ordering: .relaxed) }

    /// Calls the handler.
    ///
    /// Only the broker does this, between `enter()` and `leave()`.
    @inline(__always)
    final func call(observer: AnyObject, event: EventPointer) {
        if !invoke(self, observer, event) { uncountDelivery() }
    }

    /// Calls the handler, in the same way.
    ///
    /// - Returns: false if the handler left the call out.
    final func callTelling(observer: AnyObject, event: EventPointer) -> Bool {
        let called = invoke(self, observer, event)
        if !called { uncountDelivery() }
        return called
    }

    /// Counts a value that is not handed over because a newer one is there.
    @usableFromInline
    @inline(never)
    final func noteOvertaken() { withOwner { $0.countOvertaken() } }

    /// Delivers the initial event, by way of the broker.
    @usableFromInline
    final func startDelivery(of event: EventPointer, box: (EventPointer) -> EventBox) {
        ObservationBroker.shared.forwardInTurn(event, to: self, box: box)
    }

    // MARK: The end

    /// Writes the removal into the state.
    ///
    /// - Returns: whether this call removed it. Then `finishRemoval()` must follow.
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

    /// Releases what the observation kept, if the info is removed, nobody is inside, and nobody did so before.
    ///
    /// No lock is held here: the last references to users' objects may be among it.
    final func dispose() {
        let current = InfoState(state.load(ordering: .acquiring))
        guard current.isReleasable else { return }
        let (exchanged, _) = state.compareExchange(
            expected: current.bits, desired: current.bits | InfoState.disposed, ordering: .acquiringAndReleasing)
        // Another call came and went: its `leave()` comes here in its turn.
        guard exchanged else { return dispose() }
        didDispose(current)
    }

    private func didDispose(_ current: InfoState) {
        withOwner { $0.countRetired(current.finalDeliveries) }
        EndQueue.run(self)
    }

    /// Releases what the observation kept, and notifies its end; only the queue calls this.
    ///
    /// A handler that was formed in an actor's isolation, its captures and the observed object need not be `Sendable`. They are released in that
    /// isolation: here, or one hop later.
    final func letGo() {
        if !flags.isDisjoint(with: [.mainActor, .otherIsolation]) {
            if let isolation = isolationElsewhere {
                notifyEnd()
                return isolation.enqueue { EndQueue.run(self) }
            }
        } else if isUnprotectedHere {
            warnOfUnprotectedRelease()
        }
        // No call is inside and none will be: nobody else looks at the handler.
        _ = invoke(self, self, nil)
        withExtras { $0.releaseHandler() }
        notifyEnd()
        if flags.contains(.retainsSubject) { withList { $0.withRecord { $0.releaseSubject() } } }
        if !isDependency { releaseReferences() }
    }

    /// Notifies the end, the first time.
    ///
    /// The observed object has not been released yet.
    @inline(__always)
    private func notifyEnd() {
        let ended = InfoState(state.load(ordering: .relaxed))
        withExtras { $0.takeOnTermination()?(ended.reason) }
        if ended.bits & (InfoState.logged | InfoState.mail) != 0 { noteUnusualEnd(ended) }
    }

    /// Where the handler runs and what the observation keeps must be released, if it was formed in an actor's isolation and this is another; nil
    /// also if the actor is gone.
    package final var isolationElsewhere: (any DeliveryTarget)? {
        if isInItsIsolation { return nil }
        return flags.contains(.mainActor) ? MainActorTarget.shared : withExtras { $0.isolation?.target }
    }

    /// `true` if a handler that was formed outside any actor is not `Sendable`, and is about to be released on another thread than the one that
    /// registered it, by way of a controller that threads share.
    ///
    /// A task may go on on another thread, so that nothing follows from the thread inside a task.
    private var isUnprotectedHere: Bool {
        flags.isDisjoint(with: [.hops, .sendable]) && withOwner { $0.isShared } ?? false
            && thread != UInt32(truncatingIfNeeded: safekvo_thread()) && !Self.isInTask
    }

    // SAFETY: the task is not used.
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

    /// Ends the observation: out of its controller's set, out of its list, handler and subject released.
    ///
    /// Whoever calls first does the work; everybody else returns at once.
    ///
    /// - Returns: whether this call ended it.
    @discardableResult
    final func end(for reason: ObservationEndReason) -> Bool {
        if isDependency { return endWithin(for: reason) }
        // The owner is kept as long as this thread is counted in.
        defer { leaveWithoutCall() }
        return !enter().isRemoved && endWithin(for: reason)
    }

    /// Ends the observation, for a caller that is counted in.
    final func endWithin(for reason: ObservationEndReason) -> Bool {
        guard withOwner({ $0.forget(self, for: reason) }) ?? markRemoved(for: reason) else { return false }
        finishRemoval()
        return true
    }

    /// What is left to do once the info is marked and out of the set.
    final func finishRemoval() {
        withList { $0.unlink(self) }
        let current = InfoState(state.load(ordering: .acquiring))
        // Nearly always nobody was inside when it was marked.
        current.isDisposed ? didDispose(current) : leave()
    }
}
