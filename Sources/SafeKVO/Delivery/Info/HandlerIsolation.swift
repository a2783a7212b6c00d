internal import CSafeKVO

/// The isolation of an actor, in which a handler was formed: known, not kept.
struct HandlerIsolation {
    // An executor is two words: the actor's address, and what it is run by.
    private let identity: UInt
    private let implementation: UInt

    init(_ actor: any Actor) {
        // SAFETY: the words are compared with those of the running task, and never followed.
        (identity, implementation) = unsafe unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
    }

    /// Whether code of that isolation is running here.
    var isCurrent: Bool { safekvo_is_current_executor(identity, implementation) }
}
