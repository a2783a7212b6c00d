internal import CSafeKVO

/// The isolation of an actor, in which a handler was formed.
///
/// The actor is not retained.
struct HandlerIsolation {
    // An executor is two words: the actor's address, and what it is run by.
    private let identity: UInt
    private let implementation: UInt
    private weak var actor: (any Actor)?

    init(_ actor: any Actor) {
        self.actor = actor
        // SAFETY: the words are compared with those of the running task, and never followed.
        (identity, implementation) = unsafe unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
    }

    /// Whether code of that isolation is running here.
    var isCurrent: Bool { safekvo_is_current_executor(identity, implementation) }

    /// Where code of that isolation can be run; nil if the actor is gone.
    var target: (any DeliveryTarget)? { actor.map { ActorTarget($0) } }
}
