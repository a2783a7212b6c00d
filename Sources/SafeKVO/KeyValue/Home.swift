/// The isolation in which observations were registered, and in which their key path is evaluated.
package enum Home {
    case actor(HandlerIsolation)
    /// No isolation, but the handlers are `Sendable`: any thread may evaluate the key path.
    case everywhere
    /// No isolation, and handlers that one thread at a time may use, together with what they capture.
    case region

    func isSame(as other: Home) -> Bool {
        switch (self, other) {
        case (.actor(let one), .actor(let other)): one.isSame(as: other)
        case (.everywhere, .everywhere), (.region, .region): true
        default: false
        }
    }

    /// `true` if several threads may evaluate the key path at once.
    var isEverywhere: Bool { if case .everywhere = self { true } else { false } }

    /// `true` if this thread may evaluate the key path after a change of a property, which is atomic if `isAtomic` is `true`.
    ///
    /// The caller must hold no lock.
    func isHere(afterChangeOfAtomic isAtomic: Bool) -> Bool {
        switch self {
        case .actor(let isolation): isolation.isCurrent
        case .everywhere: true
        // Regions let one thread at a time use a plain property and the handlers, but any thread change an atomic property.
        case .region: !isAtomic
        }
    }

    /// The place in which the key path can be evaluated after a change elsewhere; `nil` if there is none.
    var target: (any DeliveryTarget)? { if case .actor(let isolation) = self { isolation.target } else { nil } }
}

extension Registration {
    /// The home of a computed or nested key path, where it is evaluated.
    var home: Home { origin.map { .actor(.of($0)) } ?? (flags.isUnprotected ? .region : .everywhere) }

    /// The home of a key path that another system announces: without an isolation, any thread may evaluate the key path.
    var homeOfForeign: Home { origin.map { .actor(.of($0)) } ?? .everywhere }
}

extension ObserverList {
    /// Returns `true` if observers who register at a home belong to the list.
    final func isAt(_ home: Home) -> Bool {
        guard let hook else { return true }
        return (hook as? TrackedPath)?.home.isSame(as: home) ?? true
    }
}
