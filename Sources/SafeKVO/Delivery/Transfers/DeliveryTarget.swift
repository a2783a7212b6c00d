internal import CSafeKVO

/// An isolation or executor in which handlers run, as named with `on:` in a registration.
package protocol DeliveryTarget: AnyObject, Sendable {
    /// `true` if this thread may call handlers now; `false` if it must call `enqueue(_:)` instead.
    var isCurrent: Bool { get }

    /// Runs a closure in the target's isolation, later.
    ///
    /// Closures may run in any order. The implementation must not take a lock that a closure or a handler may hold.
    func enqueue(_ job: @escaping @Sendable () -> Void)
}

/// Runs handlers on the main actor, at once if the change is made there.
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

    /// Always `false`, so that every handler is called by `enqueue(_:)`, even if the change is made on the actor.
    ///
    /// A direct call could come in the middle of another operation of the actor.
    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        let actor = actor
        Task { await Self.run(job, on: actor) }
    }

    static func run(_ job: @Sendable () -> Void, on actor: isolated any Actor) {
        job()
    }
}

/// Runs handlers on an actor without retaining it, because it may be the observer.
package final class WeakActorTarget: DeliveryTarget {
    private let isolation: HandlerIsolation

    package convenience init(_ observer: any Actor) { self.init(.of(observer)) }

    init(_ isolation: HandlerIsolation) { self.isolation = isolation }

    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        // After the actor's deallocation, the job calls no handler, so any thread may run the job.
        if isolation.isGone { return job() }
        Task { if await !isolation.run(job) { job() } }
    }
}
