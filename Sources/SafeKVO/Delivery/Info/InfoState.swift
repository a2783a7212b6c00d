/// The state of one observation in one atomic word: flags, the reason of its end, and two counts.
///
/// - Running *calls*: threads that are calling the handler, or are checking whether they may.
/// - Deliveries: the calls made so far.
///
/// One thread may remove the observation while another thread finishes the last call. Exactly one thread reports the end, and exactly one
/// lets go of what the observation keeps. So the flags and the counts share one word.
@usableFromInline
struct InfoState {
    var bits: UInt64

    /// A flag: the observation has been removed, so no call starts.
    static let removed: UInt64 = 1
    /// A flag: a thread reports the end, or has reported it.
    static let reported: UInt64 = 1 << 1
    /// A flag: the initial call has not ended, so other events wait.
    static let starting: UInt64 = 1 << 2
    static let logged: UInt64 = 1 << 3
    static let reasonShift: UInt64 = 4
    /// A flag, the *mark*: whoever may call the handler next must read the present value, because of a change that came at a bad time.
    ///
    /// If the handler fills an asynchronous sequence, events wait in its queue.
    static let marked: UInt64 = 1 << 7
    /// A flag: the controller is paused, so no call starts.
    ///
    /// An observer that is called before and after each change gets both calls or none.
    @_alwaysEmitIntoClient static var paused: UInt64 { 1 << 8 }
    /// A flag: a job that will read the present value is on its way to the isolation of the handler.
    static let expectedAtHome: UInt64 = 1 << 9
    /// A flag: a thread lets go of what the observation keeps, or has done so, or has moved it to the controller.
    static let opened: UInt64 = 1 << 10
    /// The amount to add for one running call.
    static let call: UInt64 = 1 << 11
    #if SAFEKVO_NARROW_COUNTERS
        private static let callBits: UInt64 = 10
    #else
        private static let callBits: UInt64 = 17
    #endif
    static let callMask: UInt64 = delivery - call
    /// The number of running calls at which the program stops, long before their count could reach the next bits.
    ///
    /// A thread adds its call before it looks at this bit. So other threads may add theirs meanwhile.
    static let mostCalls: UInt64 = 1 << (callBits - 1)
    /// The amount to add for one call of the handler; the upper 36 bits count the calls and may wrap around.
    static let delivery: UInt64 = call << callBits

    init(_ bits: UInt64) { self.bits = bits }

    var isRemoved: Bool { bits & Self.removed != 0 }
    var isExpectedAtHome: Bool { bits & Self.expectedAtHome != 0 }
    var isLogged: Bool { bits & Self.logged != 0 }
    var isMarked: Bool { bits & Self.marked != 0 }
    var isStarting: Bool { bits & Self.starting != 0 }
    var hasCalls: Bool { bits & Self.callMask != 0 }
    var hasTooManyCalls: Bool { bits & (Self.mostCalls * Self.call) != 0 }
    var isPaused: Bool { bits & Self.paused != 0 }
    var mustHandOver: Bool { bits & (Self.marked | Self.callMask | Self.paused | Self.starting) == Self.marked }
    var isReported: Bool { bits & Self.reported != 0 }
    var isOpened: Bool { bits & Self.opened != 0 }
    var deliveries: UInt64 { bits / Self.delivery }
    var reason: ObservationEndReason {
        ObservationEndReason(rawValue: UInt8(truncatingIfNeeded: bits >> Self.reasonShift) & 7) ?? .removed
    }

    /// Returns the state of the observation after its removal for the given reason.
    func removing(for reason: ObservationEndReason) -> InfoState {
        InfoState(bits | Self.removed | UInt64(reason.rawValue) << Self.reasonShift)
    }
}
