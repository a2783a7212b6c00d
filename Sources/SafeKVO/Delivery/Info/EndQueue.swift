internal import CSafeKVO
internal import Synchronization

/// A queue of observations that have ended on one thread and have not yet released what they kept.
///
/// To release an observed object or a handler may deallocate another observer, whose observations end in turn. If each of them released its
/// references at once, a long chain of objects that observe each other would overflow the stack. So the outermost end on a thread runs the
/// queue. It releases the observations one after the other, in the order in which they ended.
struct EndQueue {
    // SAFETY: (of the references) The queue owns one reference to each info in it; an info is one registration. `nextOfOwner` links the
    // infos. Nobody else uses this link after an info has left the set of its controller.
    private var first: Unretained<ObservationInfo>?
    private var last: Unretained<ObservationInfo>?

    /// Releases what an ended observation kept.
    ///
    /// A call that is nested in another call of this function on the same thread only adds the observation to the queue. The outer call
    /// releases it later.
    static func run(_ info: ObservationInfo) {
        // SAFETY: The thread-local slot holds null, or the queue of a call of this function further up the stack of this thread.
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
        // An end that a log handler causes is not logged. The flag must be cleared here, because the log handler will have returned before
        // the queue reaches this info.
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
    /// The program removed it, by `unobserve(_:_:)`, `unobserve(_:)` or `unobserveAll()`.
    case removed
    /// A later registration with `ifAlreadyObserved: .replace` took its place.
    case replaced
    /// The observer was deallocated.
    case observerDeinitialized
    /// The observed object was deallocated.
    case objectDeinitialized
    /// The controller was invalidated, or was deallocated while its observer was still alive.
    case controllerInvalidated
    /// The clock of a poll failed: its `sleep` threw an error.
    case clockFailed
}
