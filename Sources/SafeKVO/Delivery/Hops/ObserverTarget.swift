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
