internal import CSafeKVO

/// Where the handlers of an observation run that are called elsewhere than where the subject changes.
package protocol DeliveryTarget: AnyObject, Sendable {
    /// Whether handlers may be called here and now.
    var isCurrent: Bool { get }

    /// Runs a job there, later.
    ///
    /// It takes no lock that a job or a handler can hold, and keeps the order of nothing: ``HopQueue`` does.
    func enqueue(_ job: @escaping @Sendable () -> Void)
}

/// The main actor: at once if this is where it runs.
package final class MainActorTarget: DeliveryTarget {
    package static let shared = MainActorTarget()

    package var isCurrent: Bool { safekvo_is_on_main_actor() }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        Task { @MainActor in job() }
    }
}

/// An actor, or a global actor's instance.
package final class ActorTarget: DeliveryTarget {
    private let actor: any Actor

    package init(_ actor: any Actor) {
        self.actor = actor
    }

    /// Never: code of the actor may be in the middle of something, and its own changes are heard by the plain forms.
    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        let actor = actor
        Task { await Self.run(job, on: actor) }
    }

    static func run(_ job: @Sendable () -> Void, on actor: isolated any Actor) {
        job()
    }
}

/// The observer itself, if that is an actor: it is not kept alive.
package final class ObserverTarget: DeliveryTarget, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the weak reference is written in `init` only, and loading one is safe on any thread.
    private weak var observer: (any Actor)?

    package init(_ observer: any Actor) {
        self.observer = observer
    }

    /// As for any actor.
    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        // An observer that is gone hears nothing more.
        if observer == nil { return job() }
        Task { await run(job) }
    }

    /// Runs a job in the observer, which is held no earlier than it must be: while the job waits for its turn there.
    @concurrent
    private func run(_ job: @Sendable () -> Void) async {
        guard let observer else { return job() }
        await ActorTarget.run(job, on: observer)
    }
}
