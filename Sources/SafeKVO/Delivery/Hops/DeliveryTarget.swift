internal import CSafeKVO

/// An isolation or executor in which handlers run, given with `on:` in a registration.
///
/// To *hop* is to deliver an event there later.
package protocol DeliveryTarget: AnyObject, Sendable {
    /// `true` if handlers may be called on this thread now, without a hop.
    var isCurrent: Bool { get }

    /// Runs a job in the target's isolation, later.
    ///
    /// An implementation must not take a lock that a job or a handler may hold. Jobs may run in any order, because
    /// ``HopQueue`` keeps the order of events.
    func enqueue(_ job: @escaping @Sendable () -> Void)
}

/// A delivery target that runs handlers on the main actor.
///
/// Code that already runs on the main actor calls the handler at once, without a hop.
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

    /// Always `false`, so that each event hops.
    ///
    /// Even code of the actor must not call the handler at once, because the code may be in the middle of an
    /// operation.
    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        let actor = actor
        Task { await Self.run(job, on: actor) }
    }

    static func run(_ job: @Sendable () -> Void, on actor: isolated any Actor) {
        job()
    }
}

/// A delivery target that runs handlers on the observer, which is an actor and is not retained.
package final class ObserverTarget: DeliveryTarget, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) only `init` writes the weak reference, and any thread may load a weak
    // reference.
    private weak var observer: (any Actor)?

    package init(_ observer: any Actor) {
        self.observer = observer
    }

    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        // The observer has been deallocated. The job can run on any thread, because it finds no observer and calls no
        // handler.
        if observer == nil { return job() }
        Task { await run(job) }
    }

    @concurrent
    private func run(_ job: @Sendable () -> Void) async {
        guard let observer else { return job() }
        await ActorTarget.run(job, on: observer)
    }
}
