/// The state of one observation in one atomic word: flags, the reason of its end, and three counts.
///
/// - Running *calls*: threads that are calling the handler, or are checking whether they may.
/// - *Visits*: threads that use the objects of the observation without calling the handler.
/// - Deliveries: the calls made so far.
///
/// One thread may remove the observation while another thread finishes the last call. Exactly one of the two must release the
/// handler. So the flag `removed` and the counts share one word.
@usableFromInline
struct InfoState {
    var bits: UInt64

    /// A flag: the observation has been removed, so no call starts.
    static let removed: UInt64 = 1
    /// A flag: a thread is releasing the handler, or has released the handler.
    static let disposed: UInt64 = 1 << 1
    /// A flag: the initial call has not ended, so other events wait.
    static let starting: UInt64 = 1 << 2
    static let logged: UInt64 = 1 << 3
    static let reasonShift: UInt64 = 4
    /// A flag, the *mark*: whoever may call the handler next must read the present value, because of a change that came at a bad time.
    ///
    /// If the handler fills an asynchronous sequence, events wait in its queue.
    static let marked: UInt64 = 1 << 7
    /// The amount to add for one running call; 17 bits count the running calls.
    static let call: UInt64 = 1 << 8
    static let callMask: UInt64 = 0x1_FFFF << 8
    /// The highest bit of the running calls: at this many calls the program stops, long before the count could reach the next bits.
    ///
    /// A thread adds its call before it looks at this bit. So other threads may add theirs meanwhile.
    private static let tooManyCalls: UInt64 = 1 << 24
    private static let visit: UInt64 = 1 << 25
    private static let visitMask: UInt64 = 3 << 25
    private static let insideMask = callMask | visitMask
    /// A flag: the controller is paused, so no call starts.
    ///
    /// An observer that is called before and after each change gets both calls or none.
    @_alwaysEmitIntoClient static var paused: UInt64 { 1 << 27 }
    /// A flag: a job that will read the present value is on its way to the isolation of the handler.
    static let expectedAtHome: UInt64 = 1 << 28
    /// The amount to add for one call of the handler; the upper 35 bits count the calls and may wrap around.
    static let delivery: UInt64 = 1 << 29

    init(_ bits: UInt64) { self.bits = bits }

    var isRemoved: Bool { bits & Self.removed != 0 }
    var isExpectedAtHome: Bool { bits & Self.expectedAtHome != 0 }
    var isLogged: Bool { bits & Self.logged != 0 }
    var isIdle: Bool { bits & Self.insideMask == 0 }
    var isMarked: Bool { bits & Self.marked != 0 }
    var isStarting: Bool { bits & Self.starting != 0 }
    var hasCalls: Bool { bits & Self.callMask != 0 }
    var hasTooManyCalls: Bool { bits & Self.tooManyCalls != 0 }
    var isPaused: Bool { bits & Self.paused != 0 }
    var mustHandOver: Bool { bits & (Self.marked | Self.callMask | Self.paused | Self.starting) == Self.marked }
    /// The amount to add to `bits` to count a *visit*: a thread uses the observation's objects without calling the handler.
    ///
    /// Only two bits count visits. When they are full, the next visit is counted as a running call.
    var weightOfVisit: UInt64 { bits & Self.visitMask == Self.visitMask ? Self.call : Self.visit }
    var isDisposed: Bool { bits & Self.disposed != 0 }
    var isReleasable: Bool { bits & (Self.removed | Self.disposed | Self.insideMask) == Self.removed }
    var deliveries: UInt64 { bits / Self.delivery }
    /// The number of calls that a removed observation has made.
    ///
    /// A thread counts its call before it checks for the removal. So the threads that are still checking are subtracted.
    var finalDeliveries: UInt64 { deliveries &- (bits & Self.callMask) / Self.call }
    var reason: ObservationEndReason {
        ObservationEndReason(rawValue: UInt8(truncatingIfNeeded: bits >> Self.reasonShift) & 7) ?? .removed
    }

    /// Returns the state of the observation after its removal for the given reason.
    ///
    /// If no thread uses the observation, the result has the flag `disposed`, and the caller must release the handler. Otherwise the
    /// removal counts as a running call, which keeps the handler until the caller ends that call by `leave()`.
    func removing(for reason: ObservationEndReason) -> InfoState {
        let removed = bits | Self.removed | UInt64(reason.rawValue) << Self.reasonShift
        return InfoState(isIdle ? removed | Self.disposed : removed &+ Self.call)
    }
}

/// The constant properties of a registration that each delivery needs.
@usableFromInline
package struct InfoFlags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt16

    @_alwaysEmitIntoClient package static var newValue: InfoFlags { InfoFlags(rawValue: 1) }
    @_alwaysEmitIntoClient package static var oldValue: InfoFlags { InfoFlags(rawValue: 1 << 1) }
    @_alwaysEmitIntoClient static var priorCall: InfoFlags { InfoFlags(rawValue: 1 << 3) }
    package static var initialCall: InfoFlags { InfoFlags(rawValue: 1 << 2) }
    @_alwaysEmitIntoClient package static var comparesValues: InfoFlags { InfoFlags(rawValue: 1 << 4) }
    package static var retainsSubject: InfoFlags { InfoFlags(rawValue: 1 << 5) }
    static let mainActor = InfoFlags(rawValue: 1 << 6)
    static let otherIsolation = InfoFlags(rawValue: 1 << 13)
    /// Set if the handler was registered with `on:`.
    static let hops = InfoFlags(rawValue: 1 << 14)
    /// Set if the handler is `Sendable`: any thread may call and release it.
    static let sendable = InfoFlags(rawValue: 1 << 15)
    static let hasIsolation: InfoFlags = [.mainActor, .otherIsolation, .hops]

    /// `true` if the handler belongs to no isolation and is not `Sendable`, so that only one thread at a time may use what it captures.
    var isUnprotected: Bool { isDisjoint(with: [.mainActor, .otherIsolation, .hops, .sendable]) && handlerKind != .dependency }

    /// Set if the handler needs the whole value, even if only some elements of a collection change.
    package static var wholeValue: InfoFlags { InfoFlags(rawValue: 1 << 7) }
    /// Set for the library's own registrations that follow only manual notifications of a key.
    static let onlyByHand = InfoFlags(rawValue: 1 << 11)
    /// Set for the library's own registrations that serve a computed or nested key path of the same object.
    ///
    /// Registrations that do not retain the observed object are counted: while there are any, deliveries retain the object. A registration
    /// with this flag is not counted, because the key path's observers are.
    static let ofSameSubject = InfoFlags(rawValue: 1 << 12)

    var wantsOldValue: Bool { contains(.oldValue) || contains(.comparesValues) && !contains(.wholeValue) }

    private static let kindShift: UInt16 = 8
    private static let kindMask: UInt16 = 7

    var handlerKind: HandlerKind {
        HandlerKind(rawValue: UInt8(truncatingIfNeeded: rawValue >> Self.kindShift & Self.kindMask)) ?? .closure
    }

    @_alwaysEmitIntoClient
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ kind: HandlerKind) { rawValue = UInt16(kind.rawValue) << Self.kindShift }
}
