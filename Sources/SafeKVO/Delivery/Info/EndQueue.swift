internal import CSafeKVO

/// Something that has ended and must still release its objects.
protocol Ended: AnyObject {
    func letGo()
}

/// A queue of ended observations that must still release their objects, on one thread.
///
/// A release may deallocate another observer, whose observations then end, too, and release their objects before the call that ended them
/// returns. Very many nested releases would overflow the stack. So those below a certain depth wait for the outermost `run(_:)`, which
/// releases the objects of one after the other.
struct EndQueue {
    private static var deepest: Int { 32 }
    private var waiting = WaitingEvents<any Ended>()
    private var depth = 0

    /// Releases an observation's objects, now or, in a deeply nested call, before the outermost call returns.
    static func run(_ ended: some Ended) {
        // SAFETY: (of all pointers) the thread-local address is zero, or that of the queue of an outer call of this function on this thread.
        if let outer = unsafe UnsafeMutablePointer<EndQueue>(bitPattern: safekvo_end_queue()) {
            if unsafe outer.pointee.depth == deepest { return unsafe outer.pointee.waiting.append(ended) }
            unsafe outer.pointee.depth += 1
            ended.letGo()
            unsafe outer.pointee.depth -= 1
            return
        }
        var queue = EndQueue()
        unsafe withUnsafeMutablePointer(to: &queue) { queue in
            safekvo_set_end_queue(UInt(bitPattern: queue))
            ended.letGo()
            while let next = unsafe queue.pointee.waiting.popFirst() { next.letGo() }
            safekvo_set_end_queue(0)
        }
    }
}
