/// The state of one observation in one word: flags, the reason of its end, the number of running calls, and the number of calls made.
///
/// One thread may remove an observation while another thread finishes its last call. Exactly one of the two must release the handler. So
/// the flag `removed` and the number of running calls are in one atomic word.
@usableFromInline
struct InfoState {
    var bits: UInt64

    /// The observation has been removed: no call starts.
    ///
    /// The flag is set once, together with the reason.
    static let removed: UInt64 = 1
    /// A thread is releasing the handler, or has released it.
    ///
    /// The flag is set once: by the thread that removes the observation while no call is running, or else by the thread that finishes the
    /// last call.
    static let disposed: UInt64 = 1 << 1
    /// The observation makes its initial call, or delivers events that arrived during that call.
    ///
    /// Other events wait in the record of the observed object.
    static let starting: UInt64 = 1 << 2
    /// A log handler or a trace wanted every call when the observation was registered.
    ///
    /// A delivery loads this word in any case, so the check costs nothing extra.
    static let logged: UInt64 = 1 << 3
    /// The position of the three bits of the state that hold an `ObservationEndReason`.
    static let reasonShift: UInt64 = 4
    /// Events of other threads wait until the thread that is calling the observer delivers them.
    static let mail: UInt64 = 1 << 7
    /// One running call; seventeen bits hold the number of running calls.
    ///
    /// A thread runs out of stack long before it nests that many calls.
    static let call: UInt64 = 1 << 8
    static let callMask: UInt64 = 0x1_FFFF << 8
    /// One visit: a thread uses what the observation keeps, without calling the handler.
    ///
    /// Two bits hold the number of visits.
    private static let visit: UInt64 = 1 << 25
    private static let visitMask: UInt64 = 3 << 25
    private static let insideMask = callMask | visitMask
    /// The controller is paused: no call starts until the controller resumes.
    ///
    /// An exception is the call after a change, if the call before that change came before the pause.
    @inlinable static var paused: UInt64 { 1 << 27 }
    /// One call that was made; the remaining 36 bits hold the number of calls.
    ///
    /// The number wraps around to zero after 2^36 calls, which takes two hours of uninterrupted calls.
    static let delivery: UInt64 = 1 << 28

    init(_ bits: UInt64) { self.bits = bits }

    var isRemoved: Bool { bits & Self.removed != 0 }
    var isLogged: Bool { bits & Self.logged != 0 }
    var isIdle: Bool { bits & Self.insideMask == 0 }
    var hasMail: Bool { bits & Self.mail != 0 }
    /// `true` if a thread is calling the observer, or is just checking whether it may call it.
    var hasCalls: Bool { bits & Self.callMask != 0 }
    var isPaused: Bool { bits & Self.paused != 0 }
    /// `true` if events of other threads wait, and the thread that has just finished a call must deliver them.
    var mustHandOver: Bool { bits & (Self.mail | Self.callMask | Self.paused | Self.starting) == Self.mail }
    /// The amount by which one more visit raises the word.
    ///
    /// If the two bits for visits are full, a visit is counted as a call.
    var weightOfVisit: UInt64 { bits & Self.visitMask == Self.visitMask ? Self.call : Self.visit }
    var isDisposed: Bool { bits & Self.disposed != 0 }
    var isReleasable: Bool { bits & (Self.removed | Self.disposed | Self.insideMask) == Self.removed }
    var deliveries: UInt64 { bits / Self.delivery }
    /// The number of calls that a removed observation has made.
    ///
    /// A running call is one that was counted after the removal and that will be undone without calling the handler. So this number
    /// excludes the running calls.
    var finalDeliveries: UInt64 { deliveries &- (bits & Self.callMask) / Self.call }
    var reason: ObservationEndReason {
        ObservationEndReason(rawValue: UInt8(truncatingIfNeeded: bits >> Self.reasonShift) & 7) ?? .removed
    }

    /// Returns the word with the removal and its reason added.
    ///
    /// If no call is running, the word is also marked as disposed, and the caller must release the handler. If a call is running, the
    /// caller is counted as a call too, and the thread that finishes last releases the handler.
    func removing(for reason: ObservationEndReason) -> InfoState {
        let removed = bits | Self.removed | UInt64(reason.rawValue) << Self.reasonShift
        return InfoState(isIdle ? removed | Self.disposed : removed &+ Self.call)
    }
}

/// The facts about one registration that never change and that a delivery needs.
@usableFromInline
package struct InfoFlags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt16

    /// The observer registered for new values.
    @inlinable package static var newValue: InfoFlags { InfoFlags(rawValue: 1) }
    /// The observer registered for old values.
    @inlinable static var oldValue: InfoFlags { InfoFlags(rawValue: 1 << 1) }
    /// The observer registered for a call before the change.
    @inlinable static var priorCall: InfoFlags { InfoFlags(rawValue: 1 << 3) }
    /// The observer registered for a call on registration.
    package static var initialCall: InfoFlags { InfoFlags(rawValue: 1 << 2) }
    /// A filter compares the old value with the new value, so the old value must be read.
    @inlinable package static var comparesValues: InfoFlags { InfoFlags(rawValue: 1 << 4) }
    /// The info retains the observed object until the observation is removed.
    package static var retainsSubject: InfoFlags { InfoFlags(rawValue: 1 << 5) }
    /// The handler was formed on the main actor and may run on the main thread only.
    static let mainActor = InfoFlags(rawValue: 1 << 6)
    /// The handler was formed in the isolation of another actor than the main actor; the info's ``InfoExtras`` name that isolation.
    static let otherIsolation = InfoFlags(rawValue: 1 << 13)
    /// The handler runs on another executor, after a hop; the info's ``InfoExtras`` hold the queue for it.
    static let hops = InfoFlags(rawValue: 1 << 14)
    /// The handler is `Sendable`: any thread may call it and release it.
    static let sendable = InfoFlags(rawValue: 1 << 15)
    /// The flags of handlers that may not run on just any thread.
    static let hasIsolation: InfoFlags = [.mainActor, .otherIsolation, .hops]

    /// The handler needs the whole value, even if only some elements of a collection change.
    package static var wholeValue: InfoFlags { InfoFlags(rawValue: 1 << 7) }
    /// The info follows manual notifications of a key only, for a tracked key path that depends on the key.
    ///
    /// The tracked key path follows all other changes at the stored properties from which the key's value is computed.
    static let onlyByHand = InfoFlags(rawValue: 1 << 11)
    /// The info follows a property for the sake of a tracked key path of the same object.
    ///
    /// A tracked key path is a computed or nested key path whose dependencies the library follows. Its own observers decide whether the
    /// object is retained, so this info does not.
    static let ofSameSubject = InfoFlags(rawValue: 1 << 12)

    /// `true` if the handler, or a filter of equal values in front of it, needs the value before the change.
    ///
    /// If the handler receives whole values, the filter compares with the last value that it let through, and does not need the old one.
    var wantsOldValue: Bool { contains(.oldValue) || contains(.comparesValues) && !contains(.wholeValue) }

    private static let kindShift: UInt16 = 8
    private static let kindMask: UInt16 = 7

    /// The kind of handler, for diagnostics.
    var handlerKind: ObservationHandlerKind {
        ObservationHandlerKind(rawValue: UInt8(truncatingIfNeeded: rawValue >> Self.kindShift & Self.kindMask)) ?? .closure
    }

    @inlinable
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ kind: ObservationHandlerKind) { rawValue = UInt16(kind.rawValue) << Self.kindShift }
}
