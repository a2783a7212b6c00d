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
        guard let observer else { return job() }
        Task { await ActorTarget.run(job, on: observer) }
    }
}
