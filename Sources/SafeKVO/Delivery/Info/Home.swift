internal import CSafeKVO

/// The isolation in which observations were registered, and in which their key path is evaluated.
package struct Home {
    private enum Kind {
        case mainActor
        case actor(HandlerIsolation)
        /// No isolation, but the handlers are `Sendable`: any thread may evaluate the key path.
        case everywhere
        /// No isolation, and handlers that one thread at a time may use, together with what they capture.
        case region
    }

    private let kind: Kind

    static let everywhere = Home(kind: .everywhere)

    private init(kind: Kind) { self.kind = kind }

    /// - Parameters:
    ///   - flags: The flags of the registration.
    ///   - isolation: The isolation in which the registration is made.
    init(_ flags: InfoFlags, _ isolation: (any Actor)?) {
        guard let isolation else {
            self.init(kind: flags.isUnprotected ? .region : .everywhere)
            return
        }
        self.init(kind: isolation === MainActor.shared ? .mainActor : .actor(HandlerIsolation(isolation)))
    }

    func isSame(as other: Home) -> Bool {
        switch (kind, other.kind) {
        case (.mainActor, .mainActor), (.everywhere, .everywhere), (.region, .region): true
        case (.actor(let isolation), .actor(let other)): isolation.isSame(as: other)
        default: false
        }
    }

    /// `true` if several threads may evaluate the key path at once.
    var isEverywhere: Bool {
        if case .everywhere = kind { true } else { false }
    }

    /// `true` if this thread may evaluate the key path after a change of a property, which is atomic if `isAtomic` is `true`.
    ///
    /// The caller must hold no lock.
    func isHere(afterChangeOfAtomic isAtomic: Bool) -> Bool {
        switch kind {
        case .mainActor: safekvo_is_on_main_actor()
        case .actor(let isolation): isolation.isCurrent
        case .everywhere: true
        // Regions let one thread at a time use a plain property and the handlers, but any thread change an atomic property.
        case .region: !isAtomic
        }
    }

    /// Where the key path can be evaluated after a change elsewhere; `nil` if nowhere.
    var target: (any DeliveryTarget)? {
        switch kind {
        case .mainActor: MainActorTarget.shared
        case .actor(let isolation): isolation.target
        case .everywhere, .region: nil
        }
    }
}
