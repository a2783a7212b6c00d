internal import Synchronization

/// The events of one observation that wait for their hop to another isolation, in order of arrival.
///
/// At most one job for this queue is scheduled or running at a time. The job delivers the events that wait when it begins. Events that
/// arrive later get another job, so that other work of the same executor can run in between.
final class HopQueue: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `waiting` and `isScheduled`. The values in the events are `Sendable`, because a
    // registration with `on:` requires that; so are the results of `read`. Only calls use `read`. It is released when no call is running
    // and none can start.

    /// An event, and the observed object, which stays alive until the event has been delivered.
    struct Item {
        let event: EventBox
        let subject: AnyObject?
    }

    let target: any DeliveryTarget
    /// A closure that turns an event that must not leave its thread into one that may; `nil` if a copy of the event may leave the thread.
    private(set) var read: ((EventPointer) -> EventBox)?
    private let lock = Lock()
    private var waiting = WaitingEvents<Item>()
    private var isScheduled = false
    /// The number of waiting events, readable without the lock.
    private let waitingCount = Atomic<Int>(0)

    init(_ target: any DeliveryTarget, read: ((EventPointer) -> EventBox)?) {
        self.target = target
        self.read = read
    }

    var count: Int { waitingCount.load(ordering: .acquiring) }

    /// Appends an event.
    ///
    /// - Returns: `true` if the caller must schedule a job that delivers it.
    func append(_ item: Item) -> Bool {
        lock.withLock {
            waiting.append(item)
            waitingCount.store(waiting.count, ordering: .releasing)
            defer { isScheduled = true }
            return !isScheduled
        }
    }

    /// Removes and returns the event that arrived first, or returns `nil` if none waits.
    func next() -> Item? {
        lock.withLock {
            let item = waiting.popFirst()
            waitingCount.store(waiting.count, ordering: .releasing)
            return item
        }
    }

    /// Notes that the scheduled job has finished.
    ///
    /// - Returns: `true` if the caller must schedule another job, because more events have arrived.
    func endJob() -> Bool {
        lock.withLock {
            isScheduled = waiting.count > 0
            return isScheduled
        }
    }

    /// Releases all waiting events and the `read` closure, because the observation has ended.
    func end() {
        _ = read.take()
        var over = WaitingEvents<Item>()
        lock.withLock {
            swap(&over, &waiting)
            waitingCount.store(0, ordering: .releasing)
        }
    }
}
