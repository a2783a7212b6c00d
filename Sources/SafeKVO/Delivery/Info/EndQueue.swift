internal import CSafeKVO
internal import Synchronization

/// The observations of one thread that have ended and have not yet released what they kept.
///
/// Releasing an observed object or a handler may deallocate an observer, whose own observations end. If each of them released its references
/// at once, a chain of objects that observe each other would need stack space for each link. So the outermost end of a thread releases them
/// one after the other, in the order in which they ended.
struct EndQueue {
    // SAFETY: (of the references) the queue owns one to each info in it. The infos are linked by `nextOfOwner`, which nobody else uses once
    // an info is out of its owner's set.
    private var first: Unretained<ObservationInfo>?
    private var last: Unretained<ObservationInfo>?

    /// Lets an observation release what it kept: now, or after those that ended earlier.
    static func run(_ info: ObservationInfo) {
        // SAFETY: the slot holds the queue of a call of this function further up this thread's stack, or null.
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
        // What a log handler ends is not logged, and it has returned when the queue comes to this.
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

/// Why an observation ended.
public enum ObservationEndReason: UInt8, Sendable, CaseIterable {
    /// Somebody removed it: `unobserve(_:_:)`, `unobserve(_:)` or `unobserveAll()`.
    case removed
    /// A later registration with `ifAlreadyObserved: .replace` took its place.
    case replaced
    /// The observer was deallocated.
    case observerDeinitialized
    /// The observed object was deallocated.
    case objectDeinitialized
    /// The controller was invalidated, or deallocated while its observer lived on.
    case controllerInvalidated
    /// The clock of a poll failed: its `sleep` threw an error.
    case clockFailed
}
