/// The state of one observation in one atomic word: flags, the reason of its end, and three counts.
///
/// - Running *calls*: threads that are calling the handler, or are checking whether they may.
/// - *Visits*: threads that use the objects of the observation without calling the handler.
/// - Deliveries: the calls made so far.
///
/// One thread may remove an observation while another finishes the last call. One of the two must release the
/// handler, so the flag `removed` and the counts share one word.
@usableFromInline
struct InfoState {
    var bits: UInt64

    /// A flag: the observation has been removed, so no call starts.
    ///
    /// It is set once, together with the reason.
    static let removed: UInt64 = 1
    /// A flag: a thread is releasing the handler, or has released it.
    ///
    /// The thread that removes the observation sets the flag if no call is running. Otherwise the thread that
    /// finishes the last call sets it.
    static let disposed: UInt64 = 1 << 1
    /// A flag: the observation is making its initial call.
    ///
    /// Other events wait until that call has ended.
    static let starting: UInt64 = 1 << 2
    static let logged: UInt64 = 1 << 3
    static let reasonShift: UInt64 = 4
    /// A flag: events wait for the end of a running call of the handler, or for the end of a pause.
    ///
    /// The thread that ends the call or the pause must deliver them.
    static let mail: UInt64 = 1 << 7
    /// The amount to add to the word for one running call; 17 bits count the running calls.
    ///
    /// The count cannot overflow, because a thread runs out of stack before it nests that many calls.
    static let call: UInt64 = 1 << 8
    static let callMask: UInt64 = 0x1_FFFF << 8
    private static let visit: UInt64 = 1 << 25
    private static let visitMask: UInt64 = 3 << 25
    private static let insideMask = callMask | visitMask
    /// A flag: the controller is paused, so no call starts until the controller resumes.
    ///
    /// An observer that is called before and after each change is an exception: it always gets both calls of a change.
    @inlinable static var paused: UInt64 { 1 << 27 }
    /// A flag: the next delivery must read the present value, because the value in its event may be outdated.
    static let rereads: UInt64 = 1 << 28
    /// The amount to add to the word for one call of the handler; the upper 35 bits count the calls and may wrap
    /// around.
    static let delivery: UInt64 = 1 << 29

    init(_ bits: UInt64) { self.bits = bits }

    var isRemoved: Bool { bits & Self.removed != 0 }
    var isLogged: Bool { bits & Self.logged != 0 }
    var isIdle: Bool { bits & Self.insideMask == 0 }
    var hasMail: Bool { bits & Self.mail != 0 }
    var hasCalls: Bool { bits & Self.callMask != 0 }
    var rereads: Bool { bits & Self.rereads != 0 }
    var isPaused: Bool { bits & Self.paused != 0 }
    /// `true` if events wait, and no call or pause delays their delivery.
    var mustHandOver: Bool { bits & (Self.mail | Self.callMask | Self.paused | Self.starting) == Self.mail }
    /// The amount to add to the word when a *visit* begins.
    ///
    /// If the bits that count visits are full, the visit is counted as a call.
    var weightOfVisit: UInt64 { bits & Self.visitMask == Self.visitMask ? Self.call : Self.visit }
    var isDisposed: Bool { bits & Self.disposed != 0 }
    var isReleasable: Bool { bits & (Self.removed | Self.disposed | Self.insideMask) == Self.removed }
    var deliveries: UInt64 { bits / Self.delivery }
    /// The number of calls that a removed observation has made.
    ///
    /// A thread counts a call before it checks for the removal. So the threads that are still checking are subtracted.
    var finalDeliveries: UInt64 { deliveries &- (bits & Self.callMask) / Self.call }
    var reason: ObservationEndReason {
        ObservationEndReason(rawValue: UInt8(truncatingIfNeeded: bits >> Self.reasonShift) & 7) ?? .removed
    }

    /// Returns the state after a removal.
    ///
    /// If the observation is idle, the flag `disposed` is set too, and the caller must release the handler. Otherwise
    /// the removal counts as a call, and the thread that finishes the last call releases the handler.
    func removing(for reason: ObservationEndReason) -> InfoState {
        let removed = bits | Self.removed | UInt64(reason.rawValue) << Self.reasonShift
        return InfoState(isIdle ? removed | Self.disposed : removed &+ Self.call)
    }
}

/// The properties of one registration that never change and that a delivery needs.
@usableFromInline
package struct InfoFlags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt16

    @inlinable package static var newValue: InfoFlags { InfoFlags(rawValue: 1) }
    @inlinable static var oldValue: InfoFlags { InfoFlags(rawValue: 1 << 1) }
    /// Set if the observer registered for a call before each change.
    @inlinable static var priorCall: InfoFlags { InfoFlags(rawValue: 1 << 3) }
    package static var initialCall: InfoFlags { InfoFlags(rawValue: 1 << 2) }
    /// Set if a filter compares the old value with the new one.
    @inlinable package static var comparesValues: InfoFlags { InfoFlags(rawValue: 1 << 4) }
    package static var retainsSubject: InfoFlags { InfoFlags(rawValue: 1 << 5) }
    static let mainActor = InfoFlags(rawValue: 1 << 6)
    static let otherIsolation = InfoFlags(rawValue: 1 << 13)
    /// Set if the handler was registered with `on:`, which names the isolation in which it runs.
    static let hops = InfoFlags(rawValue: 1 << 14)
    /// Set if the handler is `Sendable`: any thread may call and release it.
    static let sendable = InfoFlags(rawValue: 1 << 15)
    static let hasIsolation: InfoFlags = [.mainActor, .otherIsolation, .hops]

    /// Set if the handler needs the whole value, even if only some elements of a collection change.
    package static var wholeValue: InfoFlags { InfoFlags(rawValue: 1 << 7) }
    /// Set for a registration by which a computed or nested key path follows only the manual notifications of a key
    /// that it depends on.
    static let onlyByHand = InfoFlags(rawValue: 1 << 11)
    /// Set for a registration by which a computed or nested key path follows a property of the same object.
    ///
    /// Such a registration does not retain the object.
    static let ofSameSubject = InfoFlags(rawValue: 1 << 12)

    /// `true` if the old value must be read, for the handler or for a filter that leaves out equal values.
    ///
    /// With the flag `wholeValue`, the filter stores the last value itself.
    var wantsOldValue: Bool { contains(.oldValue) || contains(.comparesValues) && !contains(.wholeValue) }

    private static let kindShift: UInt16 = 8
    private static let kindMask: UInt16 = 7

    var handlerKind: ObservationHandlerKind {
        ObservationHandlerKind(rawValue: UInt8(truncatingIfNeeded: rawValue >> Self.kindShift & Self.kindMask)) ?? .closure
    }

    @inlinable
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ kind: ObservationHandlerKind) { rawValue = UInt16(kind.rawValue) << Self.kindShift }
}
