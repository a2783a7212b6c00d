/// Where a handler is called that was handed over with `on:`.
package struct HandlerPlace {
    enum Kind {
        /// On whatever thread makes the change.
        case anyThread
        /// Where a target says.
        case target(any DeliveryTarget)
        /// In the observer, which is an actor.
        case observer
        /// Nowhere: the handler belongs to another isolation than the one that was named.
        case anotherIsolation
    }

    let kind: Kind
    let handlerKind: ObservationHandlerKind

    private init(_ kind: Kind, _ handlerKind: ObservationHandlerKind = .closure) {
        self.kind = kind
        self.handlerKind = handlerKind
    }

    static var anyThread: HandlerPlace { HandlerPlace(.anyThread) }

    static var observer: HandlerPlace { HandlerPlace(.observer) }

    /// Where a target says.
    package init(_ target: any DeliveryTarget, kind: ObservationHandlerKind = .closure) {
        self.init(.target(target), kind)
    }

    /// A global actor, for a handler of an isolation.
    init<Isolation: GlobalActor>(_ type: Isolation.Type, of isolation: (any Actor)?) {
        if let isolation, isolation !== Isolation.shared {
            self.init(.anotherIsolation)
        } else {
            self.init(Isolation.self == MainActor.self ? MainActorTarget.shared : ActorTarget(Isolation.shared))
        }
    }
}
