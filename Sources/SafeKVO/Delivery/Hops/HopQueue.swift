internal import Synchronization

/// The events of one observation that wait for their hop to another isolation, in order of arrival.
///
/// At most one job per queue is scheduled or running, however many events wait. The first event that arrives schedules the job, which
/// delivers all events that wait when it begins. Events that arrive while the job runs get a job of their own, so that other work of the
/// same executor can run in between.
final class HopQueue: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `waiting` and `isScheduled`. The values in the events are `Sendable`, because the
    // registration forms with `on:` require that; so is what `read` returns. Only calls use `read`, and it is released when no call is
    // running and none can start.

    /// An event, and the observed object that must stay alive until the event has been delivered.
    struct Item {
        let event: EventBox
        let subject: AnyObject?
    }

    let target: any DeliveryTarget
    /// A closure that makes the event to deliver, from an event that must not leave its thread; `nil` if a copy of the event will do.
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

    /// The number of waiting events.
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

    /// Removes and returns the event that arrived first.
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
