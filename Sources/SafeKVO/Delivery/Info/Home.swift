internal import CSafeKVO

/// The isolation in which observations were registered, and in which their key path is evaluated.
package struct Home {
    private enum Kind {
        case mainActor
        case actor
        /// No isolation, but the handlers are `Sendable`: any thread may evaluate the key path.
        case everywhere
        /// No isolation, and handlers that one thread at a time may use, together with what they capture.
        case region
    }

    private let kind: Kind
    /// `nil` unless the home is an actor other than the main actor.
    private let isolation: HandlerIsolation?

    static let everywhere = Home(kind: .everywhere)

    private init(kind: Kind, _ isolation: HandlerIsolation? = nil) { (self.kind, self.isolation) = (kind, isolation) }

    /// - Parameters:
    ///   - flags: The flags of the registration.
    ///   - isolation: The isolation in which the registration is made.
    init(_ flags: InfoFlags, _ isolation: (any Actor)?) {
        guard let isolation else {
            self.init(kind: flags.isUnprotected ? .region : .everywhere)
            return
        }
        if isolation === MainActor.shared { self.init(kind: .mainActor) } else { self.init(kind: .actor, HandlerIsolation(isolation)) }
    }

    func isSame(as other: Home) -> Bool {
        guard kind == other.kind else { return false }
        guard let isolation, let other = other.isolation else { return true }
        return isolation.isSame(as: other)
    }

    /// `true` if several threads may evaluate the key path at once.
    var isEverywhere: Bool { kind == .everywhere }

    /// `true` if this thread may evaluate the key path after a change of a property, which is atomic if `isAtomic` is `true`.
    ///
    /// The caller must hold no lock.
    func isHere(afterChangeOfAtomic isAtomic: Bool) -> Bool {
        switch kind {
        case .mainActor: safekvo_is_on_main_actor()
        case .actor: isolation?.isCurrent ?? false
        case .everywhere: true
        // Regions let one thread at a time use a plain property and the handlers, but any thread change an atomic property.
        case .region: !isAtomic
        }
    }

    /// Where the key path can be evaluated after a change elsewhere; `nil` if nowhere.
    var target: (any DeliveryTarget)? {
        switch kind {
        case .mainActor: MainActorTarget.shared
        case .actor: isolation?.target
        case .everywhere, .region: nil
        }
    }
}
