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
        SchedulePoint.pass(.beforeJobHome)
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

/// Runs handlers on their observer, an actor that is not retained.
package final class ObserverTarget: DeliveryTarget {
    private let isolation: HandlerIsolation

    package init(_ observer: any Actor) { isolation = .of(observer) }

    package var isCurrent: Bool { false }

    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        SchedulePoint.pass(.beforeJobHome)
        // If the observer can no longer be retained, the job calls no handler, but drops and counts what waits. Any thread may do so, because
        // all of that is `Sendable`.
        Task { if await !isolation.run(job) { job() } }
    }
}

/// Runs code of the home of an observation, an actor that is not retained, because it may be the observer.
///
/// A job is dropped if the actor can no longer be retained: its `deinit` may be running, in its isolation.
final class HomeTarget: DeliveryTarget {
    private let isolation: HandlerIsolation

    init(_ isolation: HandlerIsolation) { self.isolation = isolation }

    var isCurrent: Bool { false }

    func enqueue(_ job: @escaping @Sendable () -> Void) {
        SchedulePoint.pass(.beforeJobHome)
        Task { await isolation.run(job) }
    }
}
