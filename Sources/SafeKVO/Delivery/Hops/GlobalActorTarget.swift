/// The targets of global actors.
package enum GlobalActorTarget {
    /// The target of a global actor.
    ///
    /// - Parameters:
    ///   - actor: The global actor's type.
    ///   - isolation: The isolation of the handler, if it has one.
    /// - Returns: nil if the handler belongs to another.
    package static func target<Isolation: GlobalActor>(_ actor: Isolation.Type, of isolation: (any Actor)?) -> (any DeliveryTarget)? {
        if let isolation, isolation !== Isolation.shared { return nil }
        return Isolation.self == MainActor.self ? MainActorTarget.shared : ActorTarget(Isolation.shared)
    }
}
