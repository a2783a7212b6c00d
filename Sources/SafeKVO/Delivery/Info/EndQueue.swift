internal import CSafeKVO

/// Something that has ended and must still release its objects.
protocol Ended: AnyObject {
    func letGo()
}

/// A queue of ended observations that must still release their objects, on one thread.
///
/// A release may deallocate another observer, whose observations then end, too. Many nested releases would overflow the stack. So the
/// outermost `run(_:)` releases the objects of one observation after the other.
struct EndQueue {
    private var waiting = WaitingEvents<any Ended>()

    /// Releases an observation's objects, now or, in a nested call, before the outermost call returns.
    static func run(_ ended: some Ended) {
        // SAFETY: the thread-local address is zero, or that of the queue of an outer call of this function on this thread.
        if unsafe UnsafeMutablePointer<EndQueue>(bitPattern: safekvo_end_queue())?.pointee.waiting.append(ended) != nil { return }
        var queue = EndQueue()
        unsafe withUnsafeMutablePointer(to: &queue) { queue in
            safekvo_set_end_queue(UInt(bitPattern: queue))
            ended.letGo()
            while let next = unsafe queue.pointee.waiting.popFirst() { next.letGo() }
            safekvo_set_end_queue(0)
        }
    }
}
