internal import CSafeKVO
internal import Synchronization

/// The events of one observation that wait for their delivery in another isolation, in order of arrival.
///
/// At most one *job*, a closure that delivers events in that isolation, is scheduled or running. A job delivers the events that wait
/// when the job begins. Later events get another job, so that other work of the isolation can run in between.
final class TransferQueue: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards all variables except `read`. Only calls of the handler use `read`, and `end()`
    // releases it after the last call. Registrations with `on:` require `Sendable` values in the events and in the results of `read`.

    struct Item {
        let event: EventBox
        let subject: AnyObject?
    }

    let target: any DeliveryTarget
    /// Converts an event to one that may be sent to another thread; `nil` if every event may be sent.
    private(set) var read: ((EventPointer) -> EventBox)?
    private let lock = Lock()
    private var waiting = WaitingEvents<Item>()
    private var isScheduled = false
    private let waitingCount = Atomic<Int>(0)

    init(_ target: any DeliveryTarget, read: ((EventPointer) -> EventBox)?) {
        self.target = target
        self.read = read
    }

    var count: Int { waitingCount.load(ordering: .acquiring) }

    /// Adds an event, and sends a job to the target that delivers what waits, unless one is on its way.
    func append(_ item: Item, job: @escaping @Sendable (TransferQueue) -> Void) {
        let mustSchedule = lock.withLock {
            waiting.append(item)
            waitingCount.store(waiting.count, ordering: .releasing)
            defer { isScheduled = true }
            return !isScheduled
        }
        if mustSchedule { send(job) }
    }

    /// Sends a job to the target, and another one after it if more events have arrived meanwhile.
    private func send(_ job: @escaping @Sendable (TransferQueue) -> Void) {
        target.enqueue {
            job(self)
            let mustRepeat = self.lock.withLock {
                self.isScheduled = self.waiting.count > 0
                return self.isScheduled
            }
            if mustRepeat { self.send(job) }
        }
    }

    func next() -> Item? {
        lock.withLock {
            let item = waiting.popFirst()
            waitingCount.store(waiting.count, ordering: .releasing)
            return item
        }
    }

    /// Ends the queue together with its observation: drops the waiting events, and releases the closure `read`, which converts events.
    ///
    /// - Returns: The number of dropped events.
    func end() -> Int {
        _ = read.take()
        var over = WaitingEvents<Item>()
        lock.withLock {
            swap(&over, &waiting)
            waitingCount.store(0, ordering: .releasing)
        }
        return over.count
    }
}

/// A queue of events that wait for their delivery, in order of arrival.
///
/// `popFirst()` returns the queue's own reference, so that no object is released under the lock that guards the queue.
struct WaitingEvents<Element> {
    private var elements: [Element?] = []
    private var first = 0

    var count: Int { elements.count - first }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first].take()
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: first <= Self.kept)
            first = 0
        } else if first >= Self.kept, first * 2 >= elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    private static var kept: Int { 64 }
}
