internal import CSafeKVO
public import Synchronization

/// One registration of an observer: its handler, its options and its state.
///
/// Two collections retain an info: the observer list of the observed key, and the set of observations in the controller. When the
/// observation has been removed and no call is running, the info releases the handler, the observed object, the list and the controller.
/// The info itself is small. It stays in memory until no delivery can reach it and nobody keeps a change that it delivered.
///
/// You meet infos only when you write an ``ObservationSource``.
@safe
public class ObservationInfo: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `state`, `next`, `linkedAt` and `order` are atomic. The record's lock guards `previous` and changes
    // of the links. The owner's lock guards the links of the controller's set. A subclass writes the handler before other threads can find
    // the info. The thread that disposes of the info replaces the handler once, while no call is running. The list, the owner and the
    // extras stay alive until then. Only three kinds of code use them: calls that `enter()` has counted, the thread that registers or
    // removes the info, and closures of `ifKept(_:)`. Everything else never changes.

    /// A function that calls the handler of an info, or releases the handler if `event` is `nil`.
    ///
    /// It returns `false` if it did not call the handler, because nothing had changed. It is a closure, because an overridden method of a
    /// generic class would have to look up the handler's types at each call.
    @usableFromInline
    package typealias Invoke = (_ info: ObservationInfo, _ observer: AnyObject, _ event: EventPointer?) -> Bool

    @usableFromInline final let state = Atomic<UInt64>(0)

    // MARK: Place in the observer list (guarded by the record's lock; deliveries read `next`)

    final let next = Atomic<UInt>(0)
    final var previous: Unretained<ObservationInfo>?
    /// The serial number that the record assigned when the registration was added to its list; zero while the registration is in no list.
    ///
    /// A delivery skips registrations with a number above its cutoff serial, because they were registered later.
    final let linkedAt = Atomic<UInt32>(0)
    /// The registration's place in the order of delivery among all registrations of its record.
    ///
    /// It equals `linkedAt`, unless the registration replaced another one. In that case, it has the other one's `order`.
    final let order = Atomic<UInt32>(0)

    // MARK: Facts that never change (in this order, the first three share a word)

    @usableFromInline package final let flags: InfoFlags
    private let line: UInt16
    /// The low 32 bits of the number of the thread that created the registration.
    final let thread: UInt32
    private let file: UnsafePointer<UInt8>?

    // MARK: Place in the controller's set (guarded by the owner's lock)

    final var nextOfOwner: Unretained<ObservationInfo>?
    final var previousOfOwner: Unretained<ObservationInfo>?

    // MARK: Objects that the info keeps

    /// The observer list that the registration belongs to: the observers of one key of one object.
    ///
    /// The registration keeps the list alive until the observation has ended.
    package final let list: Unretained<ObserverList>
    /// The part of the controller that deliveries need; `nil` if the library itself is the observer.
    ///
    /// The registration retains this object until the observation has ended.
    private let ownerReference: Unretained<ObservationOwner>?
    private let extrasReference: Unretained<InfoExtras>?
    /// The function that calls the handler, which a subclass stores.
    ///
    /// The function captures no object of the program. So the registration can release the handler and keep the function.
    private let invoke: Invoke
    /// The key path that was given to `observe`.
    @usableFromInline final let keyPath: AnyKeyPath?

    @usableFromInline
    package init(_ parts: InfoParts, invoke: @escaping Invoke) {
        // SAFETY: `releaseReferences()` balances the three `retain()` calls below.
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
        // Two kinds of registrations still hold their references here. One was never added to a list. The other follows a dependency of a
        // computed or nested key path, which uses the list until this object is deallocated.
        if isDependency || !InfoState(state.load(ordering: .relaxed)).isDisposed { releaseReferences() }
    }

    @inline(__always)
    private func releaseReferences() {
        unsafe extrasReference?.release()
        unsafe withList { $0.keeper }.release()
        unsafe ownerReference?.release()
    }

    /// `true` if the registration is in its list.
    ///
    /// The value is reliable only under the record's lock.
    final var isLinked: Bool { linkedAt.load(ordering: .relaxed) != 0 }

    /// Returns `true` if this registration must be notified of a change, although it was added to its list after the change began.
    ///
    /// If another thread registered the observer during the change, its initial call may have delivered the old value. If this thread did,
    /// the observer needs no notification.
    ///
    /// - Parameters:
    ///   - present: The record's serial number when the change was made. If the registration was added later, the result is `false`.
    ///   - hearsLate: `true` to include observers with an initial call; `false` to include only those key paths that depend on this key.
    final func isLate(upTo present: UInt32, _ hearsLate: Bool) -> Bool {
        if isLinked(after: present) { return false }
        return isDependency || hearsLate && flags.contains(.initialCall) && thread != UInt32(truncatingIfNeeded: safekvo_thread())
    }

    /// Returns `true` if the registration was added to its list after the record had assigned the serial number `limit`.
    ///
    /// Serial numbers wrap around, so the sign of the difference decides.
    @inline(__always)
    final func isLinked(after limit: UInt32) -> Bool { Int32(bitPattern: linkedAt.load(ordering: .relaxed) &- limit) > 0 }

    /// Returns `true` if this registration is notified before another one of the same record.
    final func isBefore(_ other: ObservationInfo) -> Bool {
        Int32(bitPattern: order.load(ordering: .relaxed) &- other.order.load(ordering: .relaxed)) < 0
    }

    /// Returns `true` if this registration comes after the given place in the order of delivery.
    final func comes(after serial: UInt32) -> Bool { Int32(bitPattern: order.load(ordering: .relaxed) &- serial) > 0 }

    /// `true` if the library itself is the observer: a computed or nested key path follows one of its dependencies.
    final var isDependency: Bool { ownerReference == nil }

    /// The number of calls of the handler.
    final var deliveries: UInt64 { InfoState(state.load(ordering: .relaxed)).deliveries }

    /// `true` if the observation has been removed.
    package final var isOver: Bool { InfoState(state.load(ordering: .acquiring)).isRemoved }

    /// Returns `true` if this registration belongs to the controller with this owner object.
    ///
    /// The caller must keep that object alive, because only addresses are compared.
    final func isOwned(by owner: ObservationOwner) -> Bool { ownerReference == Unretained(owner) }

    @inline(__always)
    final func withList<Result>(_ body: (ObserverList) -> Result) -> Result { unsafe list.with(body) }

    /// The serial number of the last change of the observed key; see ``ObserverList/lastChange``.
    @usableFromInline
    package final var lastChange: UInt64 { withList { $0.lastChange } }

    /// Calls a closure with the properties that only some observations have; returns `nil` if this one has none.
    @inline(__always)
    final func withExtras<Result>(_ body: (InfoExtras) -> Result?) -> Result? {
        guard let extrasReference else { return nil }
        return unsafe extrasReference.with(body)
    }

    /// Calls a closure with the owner, the part of the controller that deliveries need; returns `nil` if there is no owner.
    @inline(__always)
    final func withOwner<Result>(_ body: (ObservationOwner) -> Result) -> Result? {
        guard let ownerReference else { return nil }
        return unsafe ownerReference.with(body)
    }

    /// The place in the source at which the observation was registered.
    package final var position: SourcePosition { unsafe SourcePosition(file: file, line: line) }

    /// `true` if the calling thread is in the isolation of the handler, or the handler has no isolation.
    ///
    /// It is meaningless for a handler that was registered with `on:`.
    final var isInItsIsolation: Bool {
        flags.contains(.mainActor) ? safekvo_is_on_main_actor() : withExtras { $0.isolation?.isCurrent } ?? true
    }

    final var tag: ObservationTag? { withExtras { $0.tag } }

    /// `true` if the library logs the calls and the end of this observation.
    final var isLogged: Bool { InfoState(state.load(ordering: .relaxed)).isLogged }

    // MARK: Calls

    /// Counts a call that is about to begin, and returns the state before.
    ///
    /// If that state says that the observation is removed or still in its initial call, the caller must not call the handler. It must undo
    /// the count with `leaveWithoutCall()`.
    @inline(__always)
    final func enter() -> InfoState {
        InfoState(state.wrappingAdd(InfoState.call + InfoState.delivery, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Ends a call that `enter()` counted.
    ///
    /// After the last call of a removed observation, this function releases the handler. If other threads have left events for the
    /// observer, it delivers them.
    @inline(__always)
    final func leave() {
        let after = InfoState(state.wrappingSubtract(InfoState.call, ordering: .acquiringAndReleasing).newValue)
        if after.bits & (InfoState.removed | InfoState.mail) != 0 { leaveUnusual(after) }
    }

    /// Undoes `enter()` because the handler was not called, and delivers the events that other threads have left.
    final func leaveWithoutCall() {
        if leaveAsking() { ObservationBroker.shared.handOver(to: self) }
    }

    /// Undoes `enter()` because the handler was not called.
    ///
    /// - Returns: `true` if the caller must deliver the events that other threads have left.
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

    /// Subtracts a call that was not made from the number of calls; the caller must still call `leave()`.
    @inline(__always)
    final func uncountDelivery() { state.wrappingSubtract(InfoState.delivery, ordering: .relaxed) }

    /// Calls the handler.
    ///
    /// Only the broker uses this, between `enter()` and `leave()`.
    @inline(__always)
    final func call(observer: AnyObject, event: EventPointer) {
        if !invoke(self, observer, event) { uncountDelivery() }
    }

    /// Calls the handler, and returns `false` if the handler did not run, because nothing had changed.
    final func callTelling(observer: AnyObject, event: EventPointer) -> Bool {
        let called = invoke(self, observer, event)
        if !called { uncountDelivery() }
        return called
    }

    /// Counts a value that is not delivered, because a newer one is available.
    @usableFromInline
    @inline(never)
    final func noteOvertaken() { withOwner { $0.countOvertaken() } }

    /// Delivers the initial event to this observer.
    @usableFromInline
    final func startDelivery(of event: EventPointer, box: (EventPointer) -> EventBox) {
        ObservationBroker.shared.forwardInTurn(event, to: self, box: box)
    }

    // MARK: The end

    /// Marks the observation as removed.
    ///
    /// - Returns: `false` if the observation had been removed before. If `true`, the caller must call `finishRemoval()`.
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

    /// Releases the objects that a removed observation kept, once its last call has ended.
    ///
    /// It does nothing if the observation is not removed, if a call is running, or if the objects have been released before. The caller
    /// must hold no lock, because a released object may be deallocated and run code of the program.
    final func dispose() {
        let current = InfoState(state.load(ordering: .acquiring))
        guard current.isReleasable else { return }
        let (exchanged, _) = state.compareExchange(
            expected: current.bits, desired: current.bits | InfoState.disposed, ordering: .acquiringAndReleasing)
        // Another thread has changed the state meanwhile, so check again. If that thread has begun a call, it will dispose of the
        // registration after the call.
        guard exchanged else { return dispose() }
        didDispose(current)
    }

    private func didDispose(_ current: InfoState) {
        withOwner { $0.countRetired(current.finalDeliveries) }
        EndQueue.run(self)
    }

    /// Releases the objects that the observation kept, and reports its end.
    ///
    /// A handler that was formed in an actor's isolation, and the observed object, need not be `Sendable`. So they are released in that
    /// isolation: at once if this thread is in it, otherwise after a hop.
    final func letGo() {
        if !flags.isDisjoint(with: [.mainActor, .otherIsolation]) {
            if let isolation = isolationElsewhere {
                notifyEnd()
                return isolation.enqueue { EndQueue.run(self) }
            }
        } else if isUnprotectedHere {
            warnOfUnprotectedRelease()
        }
        // No call is running and none can start, so nobody else uses the handler.
        _ = invoke(self, self, nil)
        withExtras { $0.releaseHandler() }
        notifyEnd()
        if flags.contains(.retainsSubject) { withList { $0.withRecord { $0.releaseSubject() } } }
        if !isDependency { releaseReferences() }
    }

    /// Calls the `onTermination` closure, unless it has been called before; the observed object is released afterwards.
    @inline(__always)
    private func notifyEnd() {
        let ended = InfoState(state.load(ordering: .relaxed))
        withExtras { $0.takeOnTermination()?(ended.reason) }
        if ended.bits & (InfoState.logged | InfoState.mail) != 0 { noteUnusualEnd(ended) }
    }

    /// The isolation in which the handler must be called and released, if this thread is not in it.
    ///
    /// It is `nil` if this thread is in that isolation, if the handler has none, or if its actor has been deallocated.
    package final var isolationElsewhere: (any DeliveryTarget)? {
        if isInItsIsolation { return nil }
        return flags.contains(.mainActor) ? MainActorTarget.shared : withExtras { $0.isolation?.target }
    }

    /// `true` if a handler that is not `Sendable` is about to be released on another thread than the one that registered it.
    ///
    /// This concerns handlers formed outside any actor, on a controller that several threads may use. In a task it is always `false`,
    /// because a task may change its thread.
    private var isUnprotectedHere: Bool {
        flags.isDisjoint(with: [.hops, .sendable]) && withOwner { $0.isShared } ?? false
            && thread != UInt32(truncatingIfNeeded: safekvo_thread()) && !Self.isInTask
    }

    // SAFETY: The closure only compares the task with `nil`.
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
    /// Several threads may call this at once. One of them does the work, and the others return at once.
    ///
    /// - Returns: `true` if this call ended it.
    @discardableResult
    final func end(for reason: ObservationEndReason) -> Bool {
        if isDependency { return endWithin(for: reason) }
        // The registration keeps its owner alive until `leaveWithoutCall()`, because `enter()` counts this thread.
        defer { leaveWithoutCall() }
        return !enter().isRemoved && endWithin(for: reason)
    }

    /// Ends the observation, for a caller that has called `enter()`.
    final func endWithin(for reason: ObservationEndReason) -> Bool {
        guard withOwner({ $0.forget(self, for: reason) }) ?? markRemoved(for: reason) else { return false }
        finishRemoval()
        return true
    }

    /// Completes a removal, after the registration has been marked as removed and has left the set of its controller.
    final func finishRemoval() {
        withList { $0.unlink(self) }
        let current = InfoState(state.load(ordering: .acquiring))
        // Usually no call was running at the moment of the removal. Then `markRemoved(for:)` has marked the observation as disposed, too.
        // Otherwise the last call to leave disposes of it.
        current.isDisposed ? didDispose(current) : leave()
    }
}
