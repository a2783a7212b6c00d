internal import CSafeKVO
internal import Synchronization

/// The events of one observation that wait for their delivery in another isolation, in order of arrival.
///
/// At most one job for this queue is scheduled or running. A job delivers the events that wait when the job begins.
/// Later events get another job, so that other work of the executor can run in between.
final class HopQueue: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards all variables except `read`. Only calls of the handler use `read`, and `end()`
    // releases it after the last call. Registrations with `on:` require `Sendable` values in the events and in the results of `read`.

    struct Item {
        let event: EventBox
        let subject: AnyObject?
    }

    let target: any DeliveryTarget
    /// A closure that converts an event to one that may be sent to another thread, or `nil` if each event may be sent.
    private(set) var read: ((EventPointer) -> EventBox)?
    private let lock = Lock()
    private var waiting = WaitingEvents<Item>()
    private var isScheduled = false
    /// `true` while a thread runs ``readInTurn(_:)``.
    private var isReading = false
    private var mustReadOnceMore = false
    private let waitingCount = Atomic<Int>(0)

    init(_ target: any DeliveryTarget, read: ((EventPointer) -> EventBox)?) {
        self.target = target
        self.read = read
    }

    var count: Int { waitingCount.load(ordering: .acquiring) }

    enum Appending {
        case mustSchedule
        case isScheduled
        /// The event was not appended, because its value may be outdated. The caller must read and append the present value.
        case mustReadAgain
    }

    /// Appends an event, unless its value may be outdated.
    func append(_ item: Item, of info: ObservationInfo) -> Appending {
        lock.withLock {
            if isReading || InfoState(info.state.load(ordering: .acquiring)).rereads { return .mustReadAgain }
            return enqueue(item) ? .mustSchedule : .isScheduled
        }
    }

    /// Appends an event without checking whether its value is outdated.
    ///
    /// - Returns: `true` if the caller must schedule a job that delivers the events.
    func appendRead(_ item: Item) -> Bool { lock.withLock { enqueue(item) } }

    private func enqueue(_ item: Item) -> Bool {
        waiting.append(item)
        waitingCount.store(waiting.count, ordering: .releasing)
        defer { isScheduled = true }
        return !isScheduled
    }

    /// Calls a closure that reads the observed value and appends it to the queue.
    ///
    /// If another thread is doing this already, that thread appends the value once more, and the closure is not called.
    ///
    /// - Returns: `false` if the closure was not called.
    func readInTurn(_ read: () -> Void) -> Bool {
        let isFirst = lock.withLock {
            if isReading { mustReadOnceMore = true }
            defer { isReading = true }
            return !isReading
        }
        guard isFirst else { return false }
        repeat { read() } while mustContinueReading()
        return true
    }

    /// Returns `true` if another thread has called ``readInTurn(_:)`` meanwhile, so that the value must be read once more.
    private func mustContinueReading() -> Bool {
        lock.withLock {
            isReading = mustReadOnceMore
            mustReadOnceMore = false
            return isReading
        }
    }

    func next() -> Item? {
        lock.withLock {
            let item = waiting.popFirst()
            waitingCount.store(waiting.count, ordering: .releasing)
            return item
        }
    }

    /// Must be called after a job has delivered the waiting events.
    ///
    /// - Returns: `true` if the caller must schedule another job, because more events have arrived.
    func endJob() -> Bool {
        lock.withLock {
            isScheduled = waiting.count > 0
            return isScheduled
        }
    }

    /// Throws the waiting events away.
    ///
    /// - Returns: The number of these events.
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

/// An isolation or executor in which handlers run, as given with `on:`.
///
/// To *hop* is to deliver an event there later.
package protocol DeliveryTarget: AnyObject, Sendable {
    /// `true` if this thread may call handlers now; `false` if it must call `enqueue(_:)` instead.
    var isCurrent: Bool { get }

    /// Runs a job in the target's isolation, later.
    ///
    /// An implementation must not take a lock that a job or a handler may hold. Jobs may run in any order, because
    /// ``HopQueue`` keeps the order of events.
    func enqueue(_ job: @escaping @Sendable () -> Void)
}

/// A delivery target that runs handlers on the main actor.
///
/// A change that is made on the main actor calls the handler at once.
package final class MainActorTarget: DeliveryTarget {
    package static let shared = MainActorTarget()

    package var isCurrent: Bool { safekvo_is_on_main_actor() }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        Task { @MainActor in job() }
    }
}

package final class ActorTarget: DeliveryTarget {
    private let actor: any Actor

    package init(_ actor: any Actor) {
        self.actor = actor
    }

    /// Always `false`: a handler must not run in the middle of another operation of the actor.
    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        let actor = actor
        Task { await Self.run(job, on: actor) }
    }

    static func run(_ job: @Sendable () -> Void, on actor: isolated any Actor) {
        job()
    }
}

/// A delivery target that runs handlers on the observer itself, which is an actor, without retaining it.
package final class ObserverTarget: DeliveryTarget, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) only `init` writes the weak reference, and any thread may load a weak
    // reference.
    private weak var observer: (any Actor)?

    package init(_ observer: any Actor) {
        self.observer = observer
    }

    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        // If the observer is deallocated, the job calls no handler, so it can run on this thread.
        if observer == nil { return job() }
        Task { await run(job) }
    }

    @concurrent
    private func run(_ job: @Sendable () -> Void) async {
        guard let observer else { return job() }
        await ActorTarget.run(job, on: observer)
    }
}
