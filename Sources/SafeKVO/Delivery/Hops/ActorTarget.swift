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
