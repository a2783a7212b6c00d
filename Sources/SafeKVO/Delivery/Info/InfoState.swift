/// The life of one observation in one word: whether it is removed, why, how many calls are running in it and how many were made.
///
/// One word, so that "removed, and nobody inside" is seen by exactly one party, which then releases the handler.
@usableFromInline
struct InfoState {
    var bits: UInt64

    /// No call starts any more.
    ///
    /// Set once; the reason is written with it.
    static let removed: UInt64 = 1
    /// Somebody releases the handler, or has done so.
    ///
    /// Set once, by whoever removes with no call running, or leaves last.
    static let disposed: UInt64 = 1 << 1
    /// The initial call, or what arrived meanwhile, is being delivered; changes wait in the record.
    static let starting: UInt64 = 1 << 2
    /// The observation was added while somebody wanted to know of every call.
    ///
    /// A delivery looks at this word anyway, so nobody pays for the question.
    static let logged: UInt64 = 1 << 3
    /// Three bits for an `ObservationEndReason`.
    static let reasonShift: UInt64 = 4
    /// Events wait that other threads have left to the one that is calling the observer.
    static let mail: UInt64 = 1 << 7
    /// One running call, counted in seventeen bits.
    ///
    /// A thread's stack ends long before that many nested calls.
    static let call: UInt64 = 1 << 8
    static let callMask: UInt64 = 0x1_FFFF << 8
    /// One look at what the observation keeps, which is no call, counted in two bits.
    private static let visit: UInt64 = 1 << 25
    private static let visitMask: UInt64 = 3 << 25
    private static let insideMask = callMask | visitMask
    /// The controller is paused: no call starts until it is resumed.
    @inlinable static var paused: UInt64 { 1 << 27 }
    /// One call made, counted in the rest: 2^36, two hours of nothing but calls, then again from zero.
    static let delivery: UInt64 = 1 << 28

    init(_ bits: UInt64) { self.bits = bits }

    var isRemoved: Bool { bits & Self.removed != 0 }
    var isLogged: Bool { bits & Self.logged != 0 }
    var isIdle: Bool { bits & Self.insideMask == 0 }
    var hasMail: Bool { bits & Self.mail != 0 }
    /// `true` if a thread is calling the observer, or is about to find out whether it may.
    var hasCalls: Bool { bits & Self.callMask != 0 }
    var isPaused: Bool { bits & Self.paused != 0 }
    /// `true` if the thread that has just left, or has just made the initial call, must hand over what others have left.
    var mustHandOver: Bool { bits & (Self.mail | Self.callMask | Self.paused | Self.starting) == Self.mail }
    /// What counts one more look in; many at once are counted as calls.
    var weightOfVisit: UInt64 { bits & Self.visitMask == Self.visitMask ? Self.call : Self.visit }
    var isDisposed: Bool { bits & Self.disposed != 0 }
    var isReleasable: Bool { bits & (Self.removed | Self.disposed | Self.insideMask) == Self.removed }
    var deliveries: UInt64 { bits / Self.delivery }
    /// Calls made, for a removed info: who is inside has found out too late, and will take back what it counted.
    var finalDeliveries: UInt64 { deliveries &- (bits & Self.callMask) / Self.call }
    var reason: ObservationEndReason {
        ObservationEndReason(rawValue: UInt8(truncatingIfNeeded: bits >> Self.reasonShift) & 7) ?? .removed
    }

    /// The word with the removal and its reason written in.
    ///
    /// If nobody is inside, the handler is the remover's to release once it is done. If somebody is, the remover is counted as a call, too:
    /// whoever leaves last releases the handler.
    func removing(for reason: ObservationEndReason) -> InfoState {
        let removed = bits | Self.removed | UInt64(reason.rawValue) << Self.reasonShift
        return InfoState(isIdle ? removed | Self.disposed : removed &+ Self.call)
    }
}

/// The unchanging facts of an info that a delivery asks for.
@usableFromInline
package struct InfoFlags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt16

    /// The observer asked for new values.
    @inlinable package static var newValue: InfoFlags { InfoFlags(rawValue: 1) }
    /// The observer asked for old values.
    @inlinable static var oldValue: InfoFlags { InfoFlags(rawValue: 1 << 1) }
    /// The observer asked for a call before the change.
    @inlinable static var priorCall: InfoFlags { InfoFlags(rawValue: 1 << 3) }
    /// The observer asked for a call on registration.
    package static var initialCall: InfoFlags { InfoFlags(rawValue: 1 << 2) }
    /// Somebody compares old and new value, so that the old one must be read.
    @inlinable package static var comparesValues: InfoFlags { InfoFlags(rawValue: 1 << 4) }
    /// The info holds a strong reference to the subject until removal.
    package static var retainsSubject: InfoFlags { InfoFlags(rawValue: 1 << 5) }
    /// The handler was formed on the main actor and may only run on the main thread.
    static let mainActor = InfoFlags(rawValue: 1 << 6)
    /// The handler was formed in another isolation, which the extras name.
    static let otherIsolation = InfoFlags(rawValue: 1 << 13)
    /// The handler is called elsewhere: the extras say where.
    static let hops = InfoFlags(rawValue: 1 << 14)
    /// The handler is `Sendable`: it may be called and released on any thread.
    static let sendable = InfoFlags(rawValue: 1 << 15)
    /// The handler does not run just anywhere.
    static let hasIsolation: InfoFlags = [.mainActor, .otherIsolation, .hops]

    /// The handler wants the whole value, also of a change of a few elements.
    package static var wholeValue: InfoFlags { InfoFlags(rawValue: 1 << 7) }
    /// The info follows what is announced by hand only: the rest its owner follows at the source.
    static let onlyByHand = InfoFlags(rawValue: 1 << 11)
    /// The info follows a property for the sake of others of the same object, whose infos say whether the subject is retained.
    static let ofSameSubject = InfoFlags(rawValue: 1 << 12)

    /// Whether the handler, or what decides whether to call it, is told the value before the change.
    ///
    /// A handler that is told whole values alone compares with the last one that it was told.
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
