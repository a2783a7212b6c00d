/// One step of a program.
package indirect enum Step: Sendable {
    case assign(Assignment)
    case changeInPlace(InPlaceChange)
    case editItems(Int, Route, ArrayEdit)
    case editSet(Int, Route, SetEdit)
    case editTags(Int, ArrayEdit)
    case observe(ModelObservation)
    case unobserve(Int)
    case unobserveNode(controller: Int, Int)
    case unobserveAll(controller: Int)
    case batch([Step])
    /// A change of a property that is announced by hand, in a closure or with a token.
    case announce(Place, [Step])
    /// A change of some elements that is announced by hand, in the scoped form.
    case announceItems(Int, ArrayEdit)
    case announceTags(Int, ArrayEdit)
    case announceSet(Int, SetEdit)
    /// A will call, steps, a did call.
    case pair(Place, [Step])
    /// A did call alone.
    case didAlone(Place)
    /// A change of foreign state, which nobody can see.
    case foreign(Int, Int)
    /// The death of the node that only weak references lead to.
    case death

    /// The steps inside.
    package var body: [Step] {
        switch self {
        case .batch(let body), .announce(_, let body), .pair(_, let body): body
        default: []
        }
    }

    /// The same step with other steps inside.
    package func with(body: [Step]) -> Step {
        switch self {
        case .batch: .batch(body)
        case .announce(let place, _): .announce(place, body)
        case .pair(let place, _): .pair(place, body)
        default: self
        }
    }
}

extension Step: CustomStringConvertible {
    package var description: String {
        switch self {
        case .assign(let assignment): "\(assignment)"
        case .changeInPlace(let change): "\(change)"
        case .editItems(let node, let route, let edit): "n\(node) proxy of \(route) items: \(edit)"
        case .editSet(let node, let route, let edit): "n\(node) proxy of \(route) set: \(edit)"
        case .editTags(let node, let edit): "n\(node) proxy of tags: \(edit)"
        case .observe(let observation): "\(observation)"
        case .unobserve(let id): "remove o\(id)"
        case .unobserveNode(let controller, let node): "c\(controller) removes all of n\(node)"
        case .unobserveAll(let controller): "c\(controller) removes all"
        case .batch(let body): "batch \(Self.describe(body))"
        case .announce(let place, let body): "withChange of \(place) \(Self.describe(body))"
        case .announceItems(let node, let edit): "withChange of elements of n\(node).items: \(edit)"
        case .announceTags(let node, let edit): "withChange of elements of n\(node).tags: \(edit)"
        case .announceSet(let node, let edit): "withChange of elements of n\(node).set: \(edit)"
        case .pair(let place, let body): "will and did of \(place) \(Self.describe(body))"
        case .didAlone(let place): "did of \(place) alone"
        case .foreign(let node, let value): "n\(node).foreign = \(value)"
        case .death: "n\(Node.mortal) dies"
        }
    }

    private static func describe(_ body: [Step]) -> String { "{ " + body.map { "\($0)" }.joined(separator: "; ") + " }" }
}
