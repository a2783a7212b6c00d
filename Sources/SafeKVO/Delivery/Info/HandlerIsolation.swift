internal import CSafeKVO

/// The isolation of an actor, in which handlers run and values are read; does not retain the actor.
package final class HandlerIsolation: Sendable {
    private static let mainActor = HandlerIsolation(MainActor.shared)

    // The two words of the actor's `unownedExecutor`.
    private let identity: UInt
    private let implementation: UInt
    private let isMainActor: Bool
    private weak let actor: (any Actor)?

    static func of(_ actor: any Actor) -> HandlerIsolation { actor === MainActor.shared ? mainActor : HandlerIsolation(actor) }

    private init(_ actor: any Actor) {
        self.actor = actor
        isMainActor = actor === MainActor.shared
        // SAFETY: an executor reference consists of two words. They are only compared with those of the executor that
        // runs this thread's task.
        (identity, implementation) = unsafe unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
    }

    var isGone: Bool { actor == nil }

    /// `true` if this thread runs code of the actor.
    ///
    /// The caller must hold no lock, because this property may release the last reference to the actor.
    var isCurrent: Bool {
        if isMainActor { return safekvo_is_on_main_actor() }
        // The function below may call a custom executor, so retain the actor, which alone keeps that executor alive. An `implementation`
        // of 0 means the default executor, of which only the address is compared.
        let kept = implementation == 0 ? nil : actor
        if implementation != 0, kept == nil { return false }
        return withExtendedLifetime(kept) { safekvo_is_current_executor(identity, implementation) }
    }

    /// Is `nil` if the actor is deallocated.
    ///
    /// A job on its way does not retain the actor, which may be the observer.
    var target: (any DeliveryTarget)? { isMainActor ? MainActorTarget.shared : isGone ? nil : WeakActorTarget(self) }

    /// Returns `true` if the other isolation is that of the same actor, not of a deallocated one that had the same address.
    func isSame(as other: HandlerIsolation) -> Bool {
        guard identity == other.identity, let actor else { return false }
        return actor === other.actor
    }

    /// Runs `job` in the isolation; returns `false` without running it if the actor is deallocated.
    @concurrent
    func run(_ job: @Sendable () -> Void) async -> Bool {
        guard let actor else { return false }
        await ActorTarget.run(job, on: actor)
        return true
    }
}
