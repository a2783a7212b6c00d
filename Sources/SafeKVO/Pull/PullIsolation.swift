internal import CSafeKVO

/// Where a value is looked at, and observers are told of it: the actor in whose isolation they asked for that.
///
/// The actor is not kept.
final class PullIsolation: Sendable {
    private weak let actor: (any Actor)?
    private let identity: ObjectIdentifier
    private let handlers: HandlerIsolation
    private let isMainActor: Bool

    init(_ actor: any Actor) {
        self.actor = actor
        identity = ObjectIdentifier(actor)
        handlers = HandlerIsolation(actor)
        isMainActor = actor === MainActor.shared
    }

    /// Whether code of the actor is running here.
    var isCurrent: Bool { isMainActor ? safekvo_is_on_main_actor() : handlers.isCurrent }

    /// Whether this is that actor.
    func isIsolation(of actor: any Actor) -> Bool { identity == ObjectIdentifier(actor) && self.actor != nil }

    /// Runs a job there.
    ///
    /// - Parameter job: What to do.
    /// - Returns: false if the actor is gone.
    @concurrent
    func run(_ job: @Sendable () -> Void) async -> Bool {
        guard let actor else { return false }
        await Self.run(job, on: actor)
        return true
    }

    private static func run(_ job: @Sendable () -> Void, on actor: isolated any Actor) {
        job()
    }
}
