/// A change of a stored property in place, by the property's own means.
package enum InPlaceChange: Sendable {
    /// `a += x`
    case a(Int, Int)
    /// `$level.update { $0 += x }`
    case level(Int, Int)
    case items(Int, ArrayEdit)
    case tags(Int, ArrayEdit)
    case set(Int, SetEdit)

    package var place: Place {
        switch self {
        case .a(let node, _): Place(node, .a)
        case .level(let node, _): Place(node, .level)
        case .items(let node, _): Place(node, .items)
        case .tags(let node, _): Place(node, .tags)
        case .set(let node, _): Place(node, .set)
        }
    }

    func perform(on nodes: inout [Node]) {
        switch self {
        case .a(let node, let summand): nodes[node].a += summand
        case .level(let node, let summand): nodes[node].level += summand
        case .items(let node, let edit): nodes[node].items = edit.effect(on: nodes[node].items).result
        case .tags(let node, let edit): nodes[node].tags = edit.effect(on: nodes[node].tags).result
        case .set(let node, let edit): nodes[node].set = edit.effect(on: nodes[node].set).result
        }
    }
}

extension InPlaceChange: CustomStringConvertible {
    package var description: String {
        switch self {
        case .a(let node, let summand): "n\(node).a += \(summand)"
        case .level(let node, let summand): "n\(node).level updated by \(summand)"
        case .tags(let node, let edit): "n\(node).tags: \(edit) in place"
        case .items(let node, let edit): "n\(node).items: \(edit) in place"
        case .set(let node, let edit): "n\(node).set: \(edit) in place"
        }
    }
}
