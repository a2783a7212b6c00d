/// The state of one observation in one word: flags, the reason of its end, the number of running calls, and the number of calls made.
///
/// One thread may remove an observation while another thread finishes its last call. Exactly one of the two must release the handler. So
/// the flag `removed` and the number of running calls are in one atomic word.
@usableFromInline
struct InfoState {
    var bits: UInt64

    /// A flag: the observation has been removed, so no call starts.
    ///
    /// It is set once, together with the reason.
    static let removed: UInt64 = 1
    /// A flag: a thread is releasing the handler, or has released it.
    ///
    /// The thread that removes the observation sets it, if no call is running. Otherwise the thread that finishes the last call sets it.
    static let disposed: UInt64 = 1 << 1
    /// A flag: the observation makes its initial call, or delivers events that arrived during that call.
    ///
    /// Other events wait in the record of the observed object.
    static let starting: UInt64 = 1 << 2
    /// A flag: the calls of this observation are logged or traced, because this was switched on when it was registered.
    static let logged: UInt64 = 1 << 3
    /// The position of the three bits that hold an `ObservationEndReason`.
    static let reasonShift: UInt64 = 4
    /// A flag: other threads have left events for the thread that is calling the observer.
    static let mail: UInt64 = 1 << 7
    /// One running call; seventeen bits hold the number of running calls.
    ///
    /// A thread runs out of stack long before it nests that many calls.
    static let call: UInt64 = 1 << 8
    static let callMask: UInt64 = 0x1_FFFF << 8
    /// One visit: a thread uses the objects that the observation keeps alive, without calling the handler.
    ///
    /// Two bits hold the number of visits.
    private static let visit: UInt64 = 1 << 25
    private static let visitMask: UInt64 = 3 << 25
    private static let insideMask = callMask | visitMask
    /// A flag: the controller is paused, so no call starts until it resumes.
    ///
    /// There is an exception: if the observer was called before a change, and the pause came after that call, it is also called after the
    /// change.
    @inlinable static var paused: UInt64 { 1 << 27 }
    /// One call that was made; 36 bits hold the number of these calls, which wraps around to zero.
    static let delivery: UInt64 = 1 << 28

    init(_ bits: UInt64) { self.bits = bits }

    var isRemoved: Bool { bits & Self.removed != 0 }
    var isLogged: Bool { bits & Self.logged != 0 }
    var isIdle: Bool { bits & Self.insideMask == 0 }
    var hasMail: Bool { bits & Self.mail != 0 }
    /// `true` if a thread is calling the observer, or is checking whether it may call it.
    var hasCalls: Bool { bits & Self.callMask != 0 }
    var isPaused: Bool { bits & Self.paused != 0 }
    /// `true` if events of other threads wait and nothing prevents their delivery, so that the caller must deliver them.
    var mustHandOver: Bool { bits & (Self.mail | Self.callMask | Self.paused | Self.starting) == Self.mail }
    /// The amount to add to the word for one more visit.
    ///
    /// If the two bits for visits are full, a visit is counted as a call.
    var weightOfVisit: UInt64 { bits & Self.visitMask == Self.visitMask ? Self.call : Self.visit }
    var isDisposed: Bool { bits & Self.disposed != 0 }
    var isReleasable: Bool { bits & (Self.removed | Self.disposed | Self.insideMask) == Self.removed }
    var deliveries: UInt64 { bits / Self.delivery }
    /// The number of calls that a removed observation has made.
    ///
    /// A thread counts a call before it checks whether the observation is removed, and then takes the call back. Such calls are subtracted
    /// here.
    var finalDeliveries: UInt64 { deliveries &- (bits & Self.callMask) / Self.call }
    var reason: ObservationEndReason {
        ObservationEndReason(rawValue: UInt8(truncatingIfNeeded: bits >> Self.reasonShift) & 7) ?? .removed
    }

    /// Returns the word with the removal and its reason added.
    ///
    /// If no call is running, the word also gets the flag `disposed`, and the caller must release the handler. Otherwise the caller is
    /// counted as one more call, and the thread that finishes last releases the handler.
    func removing(for reason: ObservationEndReason) -> InfoState {
        let removed = bits | Self.removed | UInt64(reason.rawValue) << Self.reasonShift
        return InfoState(isIdle ? removed | Self.disposed : removed &+ Self.call)
    }
}

/// Facts about one registration that never change and that a delivery needs.
@usableFromInline
package struct InfoFlags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt16

    /// The observer registered for new values.
    @inlinable package static var newValue: InfoFlags { InfoFlags(rawValue: 1) }
    /// The observer registered for old values.
    @inlinable static var oldValue: InfoFlags { InfoFlags(rawValue: 1 << 1) }
    /// The observer registered for a call before each change.
    @inlinable static var priorCall: InfoFlags { InfoFlags(rawValue: 1 << 3) }
    /// The observer registered for an initial call on registration.
    package static var initialCall: InfoFlags { InfoFlags(rawValue: 1 << 2) }
    /// A filter compares the old value with the new one, so the old value must be read.
    @inlinable package static var comparesValues: InfoFlags { InfoFlags(rawValue: 1 << 4) }
    /// The registration retains the observed object until it is removed.
    package static var retainsSubject: InfoFlags { InfoFlags(rawValue: 1 << 5) }
    /// The handler was formed on the main actor and may run on the main thread only.
    static let mainActor = InfoFlags(rawValue: 1 << 6)
    /// The handler was formed in the isolation of an actor other than the main actor.
    static let otherIsolation = InfoFlags(rawValue: 1 << 13)
    /// The handler was registered with `on:` and runs after a hop to another isolation.
    static let hops = InfoFlags(rawValue: 1 << 14)
    /// The handler is `Sendable`: any thread may call it and release it.
    static let sendable = InfoFlags(rawValue: 1 << 15)
    /// The flags of handlers that may not run on just any thread.
    static let hasIsolation: InfoFlags = [.mainActor, .otherIsolation, .hops]

    /// The handler needs the whole value, even if only some elements of a collection change.
    package static var wholeValue: InfoFlags { InfoFlags(rawValue: 1 << 7) }
    /// The library follows only the manual notifications of this key, because a computed or nested key path depends on it.
    static let onlyByHand = InfoFlags(rawValue: 1 << 11)
    /// The library follows this property because a computed or nested key path of the same object depends on it.
    ///
    /// The registration does not retain the object. The observers of that key path decide whether to do so.
    static let ofSameSubject = InfoFlags(rawValue: 1 << 12)

    /// `true` if the handler, or a filter that skips equal values, needs the value before the change.
    ///
    /// If the handler receives whole values, the filter stores the last value itself, and needs no old one.
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
