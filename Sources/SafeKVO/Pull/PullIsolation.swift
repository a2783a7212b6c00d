internal import CSafeKVO

/// The isolation of the actor that observes a value, in which the library reads the value and notifies the observers.
///
/// The actor is not retained.
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

    var isCurrent: Bool { isMainActor ? safekvo_is_on_main_actor() : handlers.isCurrent }

    /// Returns `true` if this is the isolation of `actor`.
    ///
    /// A deallocated actor may have had the same address. The function then returns `false`.
    func isIsolation(of actor: any Actor) -> Bool { identity == ObjectIdentifier(actor) && self.actor != nil }

    /// Runs `job` in the isolation, and returns `true`.
    ///
    /// If the actor is deallocated, the function returns `false` and does not run `job`.
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
