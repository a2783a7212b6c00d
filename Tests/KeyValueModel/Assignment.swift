/// An assignment to a stored property.
package enum Assignment: Sendable {
    case a(Int, Int)
    case b(Int, Int)
    case quiet(Int, Int)
    case next(Int, Int?)
    case inner(Int, Int)
    case part(Int, Int)
    case items(Int, [Int])
    case set(Int, Set<Int>)

    /// What is assigned to.
    package var place: Place {
        switch self {
        case .a(let node, _): Place(node, .a)
        case .b(let node, _): Place(node, .b)
        case .quiet(let node, _): Place(node, .quiet)
        case .next(let node, _): Place(node, .next)
        case .inner(let node, _): Place(node, .inner)
        case .part(let node, _): Place(node, .part)
        case .items(let node, _): Place(node, .items)
        case .set(let node, _): Place(node, .set)
        }
    }

    var value: Value {
        switch self {
        case .a(_, let value), .b(_, let value), .quiet(_, let value): .int(value)
        case .next(_, let value): value.map { .node($0) } ?? .none
        case .inner(_, let value), .part(_, let value): .node(value)
        case .items(_, let value): .ints(value)
        case .set(_, let value): .intSet(value)
        }
    }

    func perform(on nodes: inout [Node]) {
        switch self {
        case .a(let node, let value): nodes[node].a = value
        case .b(let node, let value): nodes[node].b = value
        case .quiet(let node, let value): nodes[node].quiet = value
        case .next(let node, let value): nodes[node].next = value
        case .inner(let node, let value): nodes[node].inner = value
        case .part(let node, let value): nodes[node].part = value
        case .items(let node, let value): nodes[node].items = value
        case .set(let node, let value): nodes[node].set = value
        }
    }
}

extension Assignment: CustomStringConvertible {
    package var description: String { "\(place) = \(value)" }
}
