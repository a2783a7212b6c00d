internal import CSafeKVO

/// The isolation of an actor in which the observation of a value was registered.
///
/// The value is read and its observers are notified in that isolation. The actor is not retained.
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

    /// `true` if the calling code runs in this isolation.
    var isCurrent: Bool { isMainActor ? safekvo_is_on_main_actor() : handlers.isCurrent }

    /// Returns `true` if this is the isolation of the given actor.
    ///
    /// The function also checks that this isolation's actor is alive. Otherwise, a new actor could have the address of a deallocated one.
    func isIsolation(of actor: any Actor) -> Bool { identity == ObjectIdentifier(actor) && self.actor != nil }

    /// Runs a closure in the isolation.
    ///
    /// - Parameter job: The closure to run.
    /// - Returns: `false` if the actor is deallocated. Then the closure was not run.
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
