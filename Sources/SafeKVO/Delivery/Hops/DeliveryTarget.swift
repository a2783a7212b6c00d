internal import CSafeKVO

/// An isolation or executor in which handlers run, named by `on:` in a registration.
///
/// To *hop* is to deliver an event there later.
package protocol DeliveryTarget: AnyObject, Sendable {
    /// `true` if handlers may be called on this thread now, without a hop.
    var isCurrent: Bool { get }

    /// Runs a job in the target's isolation, later.
    ///
    /// An implementation must not take a lock that a job or a handler may hold. It need not keep the order of jobs, because ``HopQueue``
    /// keeps the order of events.
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

/// A delivery target that runs handlers on an actor; for a global actor, on its shared instance.
package final class ActorTarget: DeliveryTarget {
    private let actor: any Actor

    package init(_ actor: any Actor) {
        self.actor = actor
    }

    /// Always `false`, so that each event hops.
    ///
    /// Even code of the actor itself does not call the handler at once, because it may be in the middle of an operation.
    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        let actor = actor
        Task { await Self.run(job, on: actor) }
    }

    static func run(_ job: @Sendable () -> Void, on actor: isolated any Actor) {
        job()
    }
}

/// A delivery target that runs handlers on the observer itself, which is an actor; it does not retain the observer.
package final class ObserverTarget: DeliveryTarget, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) Only `init` writes the weak reference, and any thread may load a weak reference.
    private weak var observer: (any Actor)?

    package init(_ observer: any Actor) {
        self.observer = observer
    }

    /// Always `false`, so that each event hops, as for any other actor.
    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        // If the observer has been deallocated, the job runs here. It finds no observer and calls no handler.
        if observer == nil { return job() }
        Task { await run(job) }
    }

    /// Runs a job on the observer, which is retained from here on.
    ///
    /// If the observer has been deallocated, the job runs at once, and calls no handler.
    @concurrent
    private func run(_ job: @Sendable () -> Void) async {
        guard let observer else { return job() }
        await ActorTarget.run(job, on: observer)
    }
}
