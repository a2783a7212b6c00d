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
    case level(Int, Int)
    case own(Int, Int)
    case shade(Int, Int)
    case width(Int, Int)
    case tags(Int, [Int])
    case atomic(Int, Int)
    case manual(Int, Int)
    case weak(Int, Int?)
    case accessed(Int, Int)

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
        case .level(let node, _): Place(node, .level)
        case .own(let node, _): Place(node, .own)
        case .shade(let node, _): Place(node, .shade)
        case .width(let node, _): Place(node, .width)
        case .tags(let node, _): Place(node, .tags)
        case .atomic(let node, _): Place(node, .atomic)
        case .manual(let node, _): Place(node, .manual)
        case .weak(let node, _): Place(node, .weak)
        case .accessed(let node, _): Place(node, .accessed)
        }
    }

    /// What is assigned.
    private var value: Value {
        switch self {
        case .a(_, let value), .b(_, let value), .quiet(_, let value), .level(_, let value), .own(_, let value): .int(value)
        case .shade(_, let value), .width(_, let value): .int(value)
        case .tags(_, let value): .ints(value)
        case .next(_, let value), .weak(_, let value): value.map { .node($0) } ?? .none
        case .inner(_, let value), .part(_, let value), .atomic(_, let value), .manual(_, let value), .accessed(_, let value): .node(value)
        case .items(_, let value): .ints(value)
        case .set(_, let value): .intSet(value)
        }
    }

    /// What the getter returns then.
    var result: Value {
        switch self {
        case .shade(let node, let value): .int(Node.overrides(node) ? value * 2 : value)
        case .tags(let node, let value): .ints(Node.kept(value, by: node))
        default: value
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
        case .level(let node, let value): nodes[node].level = value
        case .own(let node, let value): nodes[node].own = value
        case .shade(let node, let value): nodes[node].shade = value
        case .width(let node, let value): nodes[node].width = value
        case .tags(let node, let value): nodes[node].tags = Node.kept(value, by: node)
        case .atomic(let node, let value): nodes[node].atomic = value
        case .manual(let node, let value): nodes[node].manual = value
        case .weak(let node, let value): nodes[node].weak = value
        case .accessed(let node, let value): nodes[node].accessed = value
        }
    }
}

extension Assignment: CustomStringConvertible {
    package var description: String { "\(place) = \(value)" }
}
