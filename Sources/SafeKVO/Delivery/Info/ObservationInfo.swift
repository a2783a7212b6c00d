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
    final var isBuffered: Bool { flags.contains(.sequence) && !flags.contains(.comparesValues) }

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
        if after.isRemoved || after.mustHandOver { DeliveryFrame.endCall(of: self) }
        if after.isRemoved { leaveRemoved() }
        return !after.isRemoved && after.mustHandOver
    }

    @inline(never)
    private func leaveUnusual(_ after: InfoState) {
        DeliveryFrame.endCall(of: self)
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

    /// The isolation of the handler, if this thread is not in it; `nil` also if it has none.
    package final var isolationElsewhere: (any DeliveryTarget)? { isInItsIsolation ? nil : isolationTarget }

    /// The isolation of the handler; `nil` if it has none.
    final var isolationTarget: (any DeliveryTarget)? {
        flags.contains(.mainActor) ? MainActorTarget.shared : withExtras { $0.isolation?.target }
    }

    /// `true` if this thread runs on the actor on which the handler was formed.
    final var mayEndHere: Bool { !flags.isDisjoint(with: [.mainActor, .otherIsolation]) && isInItsIsolation }
}
