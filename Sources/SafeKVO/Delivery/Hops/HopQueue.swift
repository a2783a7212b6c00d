internal import Synchronization

/// The events of one observation that wait for their hop, in order of arrival.
///
/// However many wait, one job is under way: the one that arrives first brings it about, and it delivers all that are there by then.
final class HopQueue: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `waiting`, `first` and `isScheduled` belong to `lock`. The events hold values of the program that are
    // `Sendable`, as the forms with `on:` demand, and so is what `read` makes.

    /// An event and what must live until it is told.
    struct Item {
        let event: EventBox
        let subject: AnyObject?
    }

    let target: any DeliveryTarget
    /// Makes what is told of an event that may not leave its thread.
    let read: ((EventPointer) -> EventBox)?
    private let lock = Lock()
    private var waiting: [Item] = []
    private var first = 0
    private var isScheduled = false
    /// Whether something waits, for a look without the lock.
    private let count = Atomic<Int>(0)

    init(_ target: any DeliveryTarget, read: ((EventPointer) -> EventBox)?) {
        self.target = target
        self.read = read
    }

    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Takes in an event.
    ///
    /// - Returns: whether a job must be enqueued that delivers it.
    func append(_ item: Item) -> Bool {
        lock.withLock {
            waiting.append(item)
            count.wrappingAdd(1, ordering: .releasing)
            defer { isScheduled = true }
            return !isScheduled
        }
    }

    /// Takes out the event that arrived first; with none left, the next one that arrives needs a job again.
    func next() -> Item? {
        lock.withLock {
            guard first < waiting.count else {
                isScheduled = false
                return nil
            }
            count.wrappingSubtract(1, ordering: .releasing)
            let item = waiting[first]
            first += 1
            if first == waiting.count {
                waiting.removeAll(keepingCapacity: waiting.count <= Self.kept)
                first = 0
            } else if first >= Self.kept, first * 2 >= waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
            return item
        }
    }

    private static let kept = 64

    /// Lets go of all that waits, because the observation has ended.
    func removeAll() {
        var over: [Item] = []
        lock.withLock {
            swap(&over, &waiting)
            first = 0
            count.store(0, ordering: .releasing)
        }
    }
}
