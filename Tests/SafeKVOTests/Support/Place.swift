@testable import SafeKVO

/// Where code is running.
enum Place {
    /// `true` where the main actor's code may run; in an asynchronous program that is not always the main thread.
    static var isMainActor: Bool { MainActorTarget.shared.isCurrent }

    /// `true` in the isolation of an actor.
    static func isCurrent(_ actor: any Actor) -> Bool { HandlerIsolation.of(actor).isCurrent }
}
