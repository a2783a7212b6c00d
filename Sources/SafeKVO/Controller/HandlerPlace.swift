/// The place in which a handler runs if `on:` was given, such as a thread or an actor.
@usableFromInline
package struct HandlerPlace {
    enum Kind {
        case anyThread
        case target(any DeliveryTarget)
        /// The observer is an actor, and the handler runs on it.
        case observer
        /// The handler is isolated to an actor other than the one given with `on:`, so the registration is refused.
        case anotherIsolation
    }

    let kind: Kind
    let handlerKind: HandlerKind

    private init(_ kind: Kind, _ handlerKind: HandlerKind = .closure) {
        self.kind = kind
        self.handlerKind = handlerKind
    }

    @usableFromInline
    static var anyThread: HandlerPlace { HandlerPlace(.anyThread) }

    @usableFromInline
    static var observer: HandlerPlace { HandlerPlace(.observer) }

    @usableFromInline
    static func mainActor(_ kind: HandlerKind) -> HandlerPlace { HandlerPlace(MainActorTarget.shared, kind: kind) }

    @usableFromInline
    static func actor(_ actor: any Actor) -> HandlerPlace { HandlerPlace(ActorTarget(actor)) }

    package init(_ target: any DeliveryTarget, kind: HandlerKind = .closure) {
        self.init(.target(target), kind)
    }

    /// Replaces `.observer` by the actor `object`, and returns every other place unchanged.
    @usableFromInline
    func resolved(for object: AnyObject) -> HandlerPlace {
        guard case .observer = kind, let actor = object as? any Actor else { return self }
        return HandlerPlace(ObserverTarget(actor))
    }

    /// Makes the description of where a handler runs: on the global actor `type`, such as `MainActor`.
    ///
    /// If `isolation`, the handler's actual isolation, is another actor, the registration will be refused.
    @usableFromInline
    init<Isolation: GlobalActor>(_ type: Isolation.Type, of isolation: (any Actor)?) {
        if let isolation, isolation !== Isolation.shared {
            self.init(.anotherIsolation)
        } else {
            self.init(Isolation.self == MainActor.self ? MainActorTarget.shared : ActorTarget(Isolation.shared))
        }
    }
}
