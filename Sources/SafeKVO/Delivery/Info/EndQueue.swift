internal import CSafeKVO
internal import Synchronization

/// A queue of ended observations that must still release their objects, on one thread.
///
/// A release may deallocate another observer, whose observations then end, too. Many nested releases would overflow the stack. So the
/// outermost `run(_:)` releases the objects of one observation after the other.
struct EndQueue {
    // SAFETY: (of the references) the queue owns one reference to each observation in it. These have left their controllers, so only this
    // queue uses their links `nextOfOwner`.
    private var first: Unretained<ObservationInfo>?
    private var last: Unretained<ObservationInfo>?

    /// Releases an observation's objects, now or, in a nested call, before the outermost call returns.
    static func run(_ info: ObservationInfo) {
        // SAFETY: the thread-local pointer is null, or points to the queue of an outer call of this function on this
        // thread.
        if let queue = unsafe safekvo_end_queue() {
            return unsafe queue.assumingMemoryBound(to: EndQueue.self).pointee.append(info)
        }
        var queue = EndQueue()
        unsafe withUnsafeMutablePointer(to: &queue) { queue in
            unsafe safekvo_set_end_queue(queue)
            info.letGo()
            while let next = unsafe queue.pointee.popFirst() {
                unsafe next.with { $0.letGo() }
                unsafe next.release()
            }
            safekvo_set_end_queue(nil)
        }
    }

    private mutating func append(_ info: ObservationInfo) {
        // Nothing that a log handler does is logged. This end may be reported after that handler returns, so switch off its entry now.
        if safekvo_is_logging() { info.state.bitwiseAnd(~InfoState.logged, ordering: .relaxed) }
        let entry = Unretained(info)
        unsafe entry.retain()
        info.nextOfOwner = nil
        if let last { unsafe last.with { $0.nextOfOwner = entry } } else { first = entry }
        last = entry
    }

    private mutating func popFirst() -> Unretained<ObservationInfo>? {
        guard let entry = first else { return nil }
        first = unsafe entry.with { $0.nextOfOwner }
        if first == nil { last = nil }
        return entry
    }
}

/// The reason why an observation ended.
public enum ObservationEndReason: UInt8, Sendable, CaseIterable {
    /// The program removed the observation, by `unobserve(_:_:)`, `unobserve(_:)` or `unobserveAll()`.
    case removed
    /// A later registration with `ifAlreadyObserved: .replace` took the place of this one.
    case replaced
    /// The observer was deallocated.
    case observerDeinitialized
    /// The observed object was deallocated.
    case objectDeinitialized
    /// The controller was invalidated, or was deallocated while its observer was still alive.
    case controllerInvalidated
    /// The observation polled a value, and the `sleep` of its clock threw an error.
    case clockFailed
}
