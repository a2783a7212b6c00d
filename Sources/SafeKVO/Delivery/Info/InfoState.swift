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
    /// A flag: the controller is paused, so no call starts.
    ///
    /// An observer that is called before and after each change gets both calls or none.
    @_alwaysEmitIntoClient static var paused: UInt64 { 1 << 8 }
    /// A flag: a job that will read the present value is on its way to the isolation of the handler.
    static let expectedAtHome: UInt64 = 1 << 9
    /// The amount to add for one running call.
    static let call: UInt64 = 1 << 10
    #if SAFEKVO_NARROW_COUNTERS
        private static let callBits: UInt64 = 10
    #else
        private static let callBits: UInt64 = 17
    #endif
    static let callMask: UInt64 = visit - call
    /// The number of running calls at which the program stops, long before their count could reach the next bits.
    ///
    /// A thread adds its call before it looks at this bit. So other threads may add theirs meanwhile.
    static let mostCalls: UInt64 = 1 << (callBits - 1)
    static let visit: UInt64 = call << callBits
    private static let visitMask: UInt64 = 3 * visit
    /// The amount to add for one call of the handler; the upper 35 bits count the calls and may wrap around.
    static let delivery: UInt64 = visit << 2
    private static let insideMask = callMask | visitMask

    init(_ bits: UInt64) { self.bits = bits }

    var isRemoved: Bool { bits & Self.removed != 0 }
    var isExpectedAtHome: Bool { bits & Self.expectedAtHome != 0 }
    var isLogged: Bool { bits & Self.logged != 0 }
    var isIdle: Bool { bits & Self.insideMask == 0 }
    var isMarked: Bool { bits & Self.marked != 0 }
    var isStarting: Bool { bits & Self.starting != 0 }
    var hasCalls: Bool { bits & Self.callMask != 0 }
    var hasTooManyCalls: Bool { bits & (Self.mostCalls * Self.call) != 0 }
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
    var finalDeliveries: UInt64 { InfoState(bits &- (bits & Self.callMask) / Self.call * Self.delivery).deliveries }
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
