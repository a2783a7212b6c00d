internal import CSafeKVO

/// The isolation in which observations were registered, and in which their key path is evaluated.
package enum Home {
    case mainActor
    case actor(HandlerIsolation)
    /// No isolation, but the handlers are `Sendable`: any thread may evaluate the key path.
    case everywhere
    /// No isolation, and handlers that one thread at a time may use, together with what they capture: those of one owner.
    case region(of: Unretained<ObservationOwner>)

    init(_ isolation: any Actor) { self = isolation === MainActor.shared ? .mainActor : .actor(.of(isolation)) }

    func isSame(as other: Home) -> Bool {
        switch (self, other) {
        case (.actor(let one), .actor(let other)): one.isSame(as: other)
        // Only addresses are compared.
        case (.region(let one), .region(let other)): one == other
        case (.mainActor, .mainActor), (.everywhere, .everywhere): true
        default: false
        }
    }

    /// `true` if the home may come to an end, so that another one of the same sort may take over what it has left.
    var isPassing: Bool { mayFollow(self) }

    /// Returns `true` if this home may take over what the other one has left.
    func mayFollow(_ other: Home) -> Bool {
        switch (self, other) {
        case (.actor, .actor), (.region, .region): true
        default: false
        }
    }

    /// A number that is the same for the same home.
    var number: UInt {
        switch self {
        case .mainActor: 1
        case .everywhere: 2
        case .actor(let isolation): isolation.number
        case .region(let owner): owner.word
        }
    }

    /// `true` if several threads may evaluate the key path at once.
    var isEverywhere: Bool { if case .everywhere = self { true } else { false } }

    /// `true` if this thread may evaluate the key path after a change of a property, which is atomic if `isAtomic` is `true`.
    ///
    /// The caller must hold no lock.
    func isHere(afterChangeOfAtomic isAtomic: Bool) -> Bool {
        switch self {
        case .mainActor: safekvo_is_on_main_actor()
        case .actor(let isolation): isolation.isCurrent
        case .everywhere: true
        // Regions let one thread at a time use a plain property and the handlers, but any thread change an atomic property.
        case .region: !isAtomic
        }
    }

    /// The place in which the key path can be evaluated after a change elsewhere; `nil` if there is none.
    var target: (any DeliveryTarget)? {
        switch self {
        case .mainActor: MainActorTarget.shared
        case .actor(let isolation): isolation.target
        case .everywhere, .region: nil
        }
    }
}

extension Registration {
    /// The home of a computed or nested key path, where it is evaluated.
    func home(of owner: ObservationOwner) -> Home {
        origin.map { Home($0) } ?? (flags.isUnprotected ? .region(of: Unretained(owner)) : .everywhere)
    }

    /// The home of a key path that another system announces: without an isolation, any thread may evaluate the key path.
    var homeOfForeign: Home { origin.map { Home($0) } ?? .everywhere }
}

extension ObservationInfo {
    /// `true` if the observation was registered at a home, or keeps only what is `Sendable`, for a key path that is evaluated at the home.
    func isAt(_ home: Home) -> Bool {
        switch home {
        case .region(let owner): ownerReference == owner
        case .actor(let isolation): withExtras { $0.isolation?.isSame(as: isolation) } ?? true
        case .mainActor, .everywhere: true
        }
    }
}

extension ObserverList {
    /// Returns `true` if observers who register at a home belong to the list.
    final func isAt(_ home: Home) -> Bool { path?.home.isSame(as: home) ?? true }
}
