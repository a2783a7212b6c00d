internal import Synchronization

/// The events of one observation that wait for their hop, in order of arrival.
///
/// However many wait, one job is under way: the one that arrives first brings it about, and it delivers all that are there by then. What arrives
/// while it does has a job of its own, so that others who wait for the place get in between.
final class HopQueue: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `waiting` and `isScheduled` belong to `lock`. The events hold values of the program that are
    // `Sendable`, as the forms with `on:` demand, and so is what `read` makes. `read` is asked by calls only, and let go once none is inside.

    /// An event and what must live until it is told.
    struct Item {
        let event: EventBox
        let subject: AnyObject?
    }

    let target: any DeliveryTarget
    /// Makes what is told of an event that may not leave its thread.
    private(set) var read: ((EventPointer) -> EventBox)?
    private let lock = Lock()
    private var waiting = WaitingEvents<Item>()
    private var isScheduled = false
    /// How many wait, for a look without the lock.
    private let waitingCount = Atomic<Int>(0)

    init(_ target: any DeliveryTarget, read: ((EventPointer) -> EventBox)?) {
        self.target = target
        self.read = read
    }

    /// How many events wait.
    var count: Int { waitingCount.load(ordering: .acquiring) }

    /// Takes in an event.
    ///
    /// - Returns: whether a job must be enqueued that delivers it.
    func append(_ item: Item) -> Bool {
        lock.withLock {
            waiting.append(item)
            waitingCount.store(waiting.count, ordering: .releasing)
            defer { isScheduled = true }
            return !isScheduled
        }
    }

    /// Takes out the event that arrived first.
    func next() -> Item? {
        lock.withLock {
            let item = waiting.popFirst()
            waitingCount.store(waiting.count, ordering: .releasing)
            return item
        }
    }

    /// Says that a job is done.
    ///
    /// - Returns: whether another must be enqueued, for what has arrived meanwhile.
    func endJob() -> Bool {
        lock.withLock {
            isScheduled = waiting.count > 0
            return isScheduled
        }
    }

    /// Lets go of all that waits and of what reads events, because the observation has ended.
    func end() {
        _ = read.take()
        var over = WaitingEvents<Item>()
        lock.withLock {
            swap(&over, &waiting)
            waitingCount.store(0, ordering: .releasing)
        }
    }
}
