/// One step of a program.
///
/// Places hold objects, which are subjects and observers alike; slots hold controllers.
package indirect enum Operation: Sendable {
    case make(place: Int)
    case release(place: Int)
    case makeController(slot: Int, observer: Int, retaining: Bool)
    case releaseController(slot: Int)
    case observe(ControllerName, place: Int, Key, Wish)
    case unobserve(ControllerName, place: Int, Key, isTagged: Bool)
    case unobserveKeys(ControllerName, place: Int, [Key], isTagged: Bool)
    case unobserveObject(ControllerName, place: Int)
    case unobserveAll(ControllerName)
    case invalidate(ControllerName)
    case set(place: Int, Property, Int)
    case link(place: Int, to: Int?)
    case batch([Operation])
    /// On another thread, while this one waits.
    case elsewhere([Operation])
}

extension Operation {
    /// The sorts of operations.
    package enum Sort: UInt8, CaseIterable, Sendable {
        case make, release, makeController, releaseController, observe, unobserve, unobserveKeys, unobserveObject, unobserveAll, invalidate
        case set, link, batch, elsewhere
    }

    /// The operations inside.
    package var body: [Operation] {
        switch self {
        case .observe(_, _, _, let wish): wish.reaction
        case .batch(let body), .elsewhere(let body): body
        default: []
        }
    }

    /// The operation with others inside.
    package func with(body: [Operation]) -> Operation {
        switch self {
        case .observe(let controller, let place, let key, var wish):
            wish.reaction = body
            return .observe(controller, place: place, key, wish)
        case .batch: return .batch(body)
        case .elsewhere: return .elsewhere(body)
        default: return self
        }
    }
}
