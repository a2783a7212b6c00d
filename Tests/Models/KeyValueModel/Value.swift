/// The value of a key.
///
/// That a value is absent is said by an optional around it; ``none`` is a nil that is present.
package enum Value: Equatable, Sendable {
    case none
    case int(Int)
    case ints([Int])
    case intSet(Set<Int>)
    case node(Int)
}

extension Value: CustomStringConvertible {
    package var description: String {
        switch self {
        case .none: "nil"
        case .int(let int): "\(int)"
        case .ints(let ints): "\(ints)"
        case .intSet(let set): "{" + set.sorted().map { "\($0)" }.joined(separator: ", ") + "}"
        case .node(let node): "n\(node)"
        }
    }
}
