internal import CSafeKVO
internal import Synchronization

/// One observation: who is called, about what, and how far its life has come.
///
/// An info hangs in two places, in the list of the key that it observes and in the set of the controller that made it, and each
/// holds a reference. Its memory ends when it is out of both and no delivery that might still see it is under way; its handler ends
/// at removal, as soon as no call is running in it.
///
/// You meet infos only when you write an ``ObservationSource``.
@safe
public final class ObservationInfo: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `state` and `next` are atomic. `previous`, `linkedAt` and the linking belong to the record's
    // lock; the place in the set belongs to the owner's lock. `context` is written before the info is published and taken out once, by whoever
    // finds the info removed with no call inside. The rest never changes.

    /// Calls a handler; false if it left the call out, because nothing had changed.
    @usableFromInline
    typealias Invoke = (
        _ context: HandlerContext, _ info: ObservationInfo, _ observer: AnyObject, _ event: EventPointer
    ) -> Bool

    let state = Atomic<UInt64>(0)

    // MARK: Place in the observer list (guarded by the record's lock; `next` is read by deliveries)

    let next = Atomic<UInt>(0)
    var previous: Unretained<ObservationInfo>?
    /// The record's serial number when the info was linked, zero while it is not: later arrivals stay out of a delivery under way.
    let linkedAt = Atomic<UInt32>(0)
    /// Where the info comes among those of all lists of its record: `linkedAt`, or that of the one it replaced.
    ///
    /// Written when the info is linked, before a delivery can see it, and when numbers are made anew.
    let order = Atomic<UInt32>(0)

    // MARK: What it is (in this order, the first three share a word)

    @usableFromInline let flags: InfoFlags
    private let line: UInt16
    /// The number of the thread that made the info, cut short.
    let thread: UInt32
    private let file: UnsafePointer<UInt8>?

    // MARK: Place in the controller's set (guarded by the owner's lock)

    var nextOfOwner: Unretained<ObservationInfo>?
    var previousOfOwner: Unretained<ObservationInfo>?

    // MARK: Whose it is

    /// The list that it hangs in, or hung in.
    ///
    /// The info retains what keeps the list.
    let list: Unretained<ObserverList>
    /// The controller's core; nil in the infos with which the library follows the dependencies of a key path.
    private let ownerReference: Unretained<ObservationOwner>?
    /// Calls the handler.
    ///
    /// It captures nothing: what it needs is in the context.
    private let invoke: Invoke
    private let context: Atomic<UInt>
    let extras: InfoExtras?
    /// The key path as it was given to `observe`.
    @usableFromInline let keyPath: AnyKeyPath?

    init(
        list: ObserverList, owner: ObservationOwner?, flags: InfoFlags, extras: InfoExtras?, position: SourcePosition,
        keyPath: AnyKeyPath?, context: HandlerContext, invoke: @escaping Invoke
    ) {
        // SAFETY: the list's keeper and the owner are released in `deinit`; the context is released in `dispose()`,
        // or in `deinit` if that never came.
        self.list = Unretained(list)
        self.list.with { $0.keeper }.retain()
        ownerReference = owner.map { Unretained($0) }
        ownerReference?.retain()
        self.context = Atomic(Unretained(context).word)
        Unretained(context).retain()
        self.invoke = invoke
        self.flags = flags
        self.extras = extras
        self.keyPath = keyPath
        line = position.line
        thread = UInt32(truncatingIfNeeded: safekvo_thread())
        unsafe file = position.file
        var start = flags.contains(.initialCall) ? InfoState.starting : 0
        if owner != nil, ObservationDiagnostics.isLogging { start |= InfoState.logged }
        if start != 0 { state.store(start, ordering: .relaxed) }
    }

    deinit {
        Unretained<HandlerContext>(word: context.load(ordering: .relaxed))?.release()
        ownerReference?.release()
        let keeper = list.with { $0.keeper }
        keeper.release()
    }

    /// Whether the info hangs in its list.
    ///
    /// Known under the record's lock.
    var isLinked: Bool { linkedAt.load(ordering: .relaxed) != 0 }

    /// Whether the info must hear of a change although it was linked after that began.
    ///
    /// It may have read the value before the change as its initial one, if another thread linked it. What this thread has linked meanwhile, its
    /// handlers or the program between an announcement and its end, knows what it reads.
    ///
    /// - Parameters:
    ///   - present: When the change was made, by the serial numbers: what is linked later knows of it.
    ///   - hearsLate: Whether that goes for observers too, and not for paths only.
    /// - Returns: whether it must.
    func isLate(upTo present: UInt32, _ hearsLate: Bool) -> Bool {
        if isLinked(after: present) { return false }
        return isDependency || hearsLate && flags.contains(.initialCall) && thread != UInt32(truncatingIfNeeded: safekvo_thread())
    }

    /// Whether the info was linked later than when the record's serial number was `limit`.
    ///
    /// Serial numbers wrap around, so they are compared by their difference.
    @inline(__always)
    func isLinked(after limit: UInt32) -> Bool { Int32(bitPattern: linkedAt.load(ordering: .relaxed) &- limit) > 0 }

    /// Whether the info comes before another of the same record.
    func isBefore(_ other: ObservationInfo) -> Bool {
        Int32(bitPattern: order.load(ordering: .relaxed) &- other.order.load(ordering: .relaxed)) < 0
    }

    /// Whether the library itself is the observer, following a dependency.
    var isDependency: Bool { ownerReference == nil }

    /// How many calls were made.
    var deliveries: UInt64 { InfoState(state.load(ordering: .relaxed)).deliveries }

    /// Whether the observation has ended.
    var isOver: Bool { InfoState(state.load(ordering: .acquiring)).isRemoved }

    /// The controller's core.
    var owner: ObservationOwner? { ownerReference?.object }

    /// Uses the controller's core without taking a reference.
    @inline(__always)
    func withOwner<Result>(_ body: (ObservationOwner) -> Result) -> Result? {
        guard let ownerReference else { return nil }
        return ownerReference.with(body)
    }

    /// Where the registration was written.
    var position: SourcePosition { unsafe SourcePosition(file: file, line: line) }

    /// Whether this is where the handler belongs, if it runs on the thread of the change.
    var isInItsIsolation: Bool {
        flags.contains(.mainActor) ? safekvo_is_on_main_actor() : extras?.isolation?.isCurrent ?? true
    }

    var tag: ObservationTag? { extras?.tag }

    /// Whether what becomes of it is logged.
    var isLogged: Bool { InfoState(state.load(ordering: .relaxed)).isLogged }

    // MARK: Calls

    /// Counts a call in.
    ///
    /// If the answer is removed or starting, the caller must not call, and must count itself out.
    @inline(__always)
    func enter() -> InfoState {
        InfoState(state.wrappingAdd(InfoState.call + InfoState.delivery, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Counts a call out, and ends the handler if this was the last call of a removed info.
    @inline(__always)
    func leave() {
        let after = InfoState(state.wrappingSubtract(InfoState.call, ordering: .acquiringAndReleasing).newValue)
        if after.isRemoved { dispose() }
    }

    /// Counts out a call that was never made.
    func leaveWithoutCall() {
        let uncounted = InfoState.call + InfoState.delivery
        let after = InfoState(state.wrappingSubtract(uncounted, ordering: .acquiringAndReleasing).newValue)
        if after.isRemoved { dispose() }
    }

    /// Calls the handler.
    ///
    /// Only the broker does this, between `enter()` and `leave()`.
    @inline(__always)
    func call(observer: AnyObject, event: EventPointer) {
        // Between entering and leaving nobody takes the context out, so it is used without being retained.
        let called = Unretained<HandlerContext>(word: context.load(ordering: .relaxed))?.with { invoke($0, self, observer, event) }
        if called == false { state.wrappingSubtract(InfoState.delivery, ordering: .relaxed) }
    }

    /// Calls the handler, in the same way.
    ///
    /// - Returns: false if the handler left the call out.
    func callTelling(observer: AnyObject, event: EventPointer) -> Bool {
        let called = Unretained<HandlerContext>(word: context.load(ordering: .relaxed))?.with { invoke($0, self, observer, event) } ?? true
        if !called { state.wrappingSubtract(InfoState.delivery, ordering: .relaxed) }
        return called
    }

    /// Delivers the initial event, by way of the broker.
    @usableFromInline
    func startDelivery(of event: EventPointer, box: (EventPointer) -> EventBox) {
        ObservationBroker.shared.forwardDuringStart(event, to: self, box: box)
    }

    // MARK: The end

    /// Writes the removal into the state.
    ///
    /// - Returns: whether this call removed it. Then `finishRemoval()` must follow.
    func markRemoved(for reason: ObservationEndReason) -> Bool {
        var current = InfoState(state.load(ordering: .relaxed))
        while !current.isRemoved {
            let (exchanged, original) = state.compareExchange(
                expected: current.bits, desired: current.removing(for: reason).bits, ordering: .acquiringAndReleasing)
            if exchanged { return true }
            current = InfoState(original)
        }
        return false
    }

    /// Releases the handler and the subject and tells the end, if the info is removed, nobody is inside, and nobody did so before.
    ///
    /// No lock is held here: the handler's captures may be the last references to users' objects, and this may be the last to the subject.
    func dispose() {
        let current = InfoState(state.load(ordering: .acquiring))
        guard current.isReleasable else { return }
        let (exchanged, _) = state.compareExchange(
            expected: current.bits, desired: current.bits | InfoState.disposed, ordering: .acquiringAndReleasing)
        // Another call came and went: its `leave()` comes here in its turn.
        guard exchanged else { return dispose() }
        didDispose(current)
    }

    private func didDispose(_ current: InfoState) {
        withOwner { $0.countRetired(current.deliveries) }
        // No call is inside and none will be: nobody else looks at the context.
        let context = Unretained<HandlerContext>(word: context.load(ordering: .relaxed))
        self.context.store(0, ordering: .relaxed)
        context?.release()
        extras?.hops?.removeAll()
        extras?.takeOnEnd()?(current.reason)
        // The subject is released below, and not before.
        if current.isLogged { ObservationDiagnostics.log(.ended(current.reason), self, of: list.with { $0.record.subject(of: self) }) }
        if flags.contains(.retainsSubject) { list.with { $0.withRecord { $0.releaseSubject() } } }
    }

    /// The subject, if the observation has not ended and the subject is not going.
    var livingSubject: AnyObject? {
        defer { leaveWithoutCall() }
        // What the info retains, it retains until the last call has left.
        return enter().isRemoved ? nil : list.with { $0.record.subject(of: self) }
    }

    /// Ends the observation: out of its controller's set, out of its list, handler and subject released.
    ///
    /// Whoever calls first does the work; everybody else returns at once.
    ///
    /// - Returns: whether this call ended it.
    @discardableResult
    func end(for reason: ObservationEndReason) -> Bool {
        guard withOwner({ $0.forget(self, for: reason) }) ?? markRemoved(for: reason) else { return false }
        finishRemoval()
        return true
    }

    /// What is left to do once the info is marked and out of the set.
    func finishRemoval() {
        list.with { $0.unlink(self) }
        // Nearly always nobody is inside but who removes: then counting out and writing down that the handler goes is one step.
        let current = InfoState(state.load(ordering: .acquiring))
        guard let last = current.disposingLastCall,
            state.compareExchange(expected: current.bits, desired: last.bits, ordering: .acquiringAndReleasing).exchanged
        else { return leave() }
        didDispose(current)
    }
}
