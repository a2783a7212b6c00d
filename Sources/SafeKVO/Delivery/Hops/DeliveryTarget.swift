internal import CSafeKVO

/// An isolation or executor in which handlers run, given with `on:` in a registration.
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
/// Code that already runs on the main actor calls the handler at once.
package final class MainActorTarget: DeliveryTarget {
    package static let shared = MainActorTarget()

    package var isCurrent: Bool { safekvo_is_on_main_actor() }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        Task { @MainActor in job() }
    }
}

/// A delivery target that runs handlers on an actor.
package final class ActorTarget: DeliveryTarget {
    private let actor: any Actor

    package init(_ actor: any Actor) {
        self.actor = actor
    }

    /// Always `false`, so that each event is delivered later, by a task.
    ///
    /// A handler must not run in the middle of another operation of the actor.
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
        // If the observer has been deallocated, the job calls no handler, so it can run on any thread.
        if observer == nil { return job() }
        Task { await run(job) }
    }

    @concurrent
    private func run(_ job: @Sendable () -> Void) async {
        guard let observer else { return job() }
        await ActorTarget.run(job, on: observer)
    }
}
