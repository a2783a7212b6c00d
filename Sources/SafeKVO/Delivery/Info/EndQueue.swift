internal import CSafeKVO
internal import Synchronization

/// A queue of ended observations that must still release their objects, on one thread.
///
/// A release may deallocate another observer, whose observations then end, too. Many nested releases would overflow the stack. So the
/// outermost `run(_:)` releases the objects of one observation after the other.
struct EndQueue {
    private var first: Unretained<ObservationInfo>?
    private var last: Unretained<ObservationInfo>?

    /// Releases an observation's objects, now or, in a nested call, before the outermost call returns.
    static func run(_ info: ObservationInfo) {
        // SAFETY: the thread-local address is zero, or that of the queue of an outer call of this function on this thread.
        if unsafe UnsafeMutablePointer<EndQueue>(bitPattern: safekvo_end_queue())?.pointee.append(info) != nil { return }
        var queue = EndQueue()
        unsafe withUnsafeMutablePointer(to: &queue) { queue in
            safekvo_set_end_queue(UInt(bitPattern: queue))
            info.letGo()
            while let next = unsafe queue.pointee.popFirst() { next.letGo() }
            safekvo_set_end_queue(0)
        }
    }

    // SAFETY: `append` retains a queued observation, and `popFirst` passes the reference to its caller. A controller links its observations
    // by `nextOfOwner`. An ended observation has left its controller, so the queue may use the same link.

    private mutating func append(_ info: ObservationInfo) {
        // What a log handler does is never logged. If a log handler has ended this observation, switch off the observation's log entry now,
        // because the end may be reported only after the log handler has returned.
        if safekvo_is_logging() { info.state.bitwiseAnd(~InfoState.logged, ordering: .relaxed) }
        let entry = Unretained(info)
        unsafe entry.retain()
        info.nextOfOwner = nil
        if let last { unsafe last.with { $0.nextOfOwner = entry } } else { first = entry }
        last = entry
    }

    private mutating func popFirst() -> ObservationInfo? {
        guard let info = unsafe first?.takeRetained() else { return nil }
        first = info.nextOfOwner
        if first == nil { last = nil }
        return info
    }
}
