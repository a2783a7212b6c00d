/// A change as it is announced to who observes exactly the place.
enum Change: Equatable {
    case setting
    /// A setting whose new value is known before it is made.
    case assignment(Value)
    /// A change of some elements of a collection: with their positions, unless it is a set.
    case elements(Kind, [Int]?, old: Value?, new: Value?)

    /// Whether it is plain from the beginning that nothing will be different.
    var changesNothing: Bool {
        guard case .elements(_, _, let old, let new) = self else { return false }
        return [old, new].allSatisfy { $0 == nil || $0 == .ints([]) || $0 == .intSet([]) }
    }

    /// The change with the elements that an array really has at its positions.
    func fulfilled(in result: [Int]) -> Change {
        guard case .elements(let kind, let indexes?, let old, _?) = self else { return self }
        return .elements(kind, indexes, old: old, new: .ints(indexes.filter(result.indices.contains).map { result[$0] }))
    }

    static func insertion(_ range: Range<Int>, _ new: [Int]) -> Change { .elements(.insertion, Array(range), old: nil, new: .ints(new)) }

    static func removal(_ range: Range<Int>, _ old: [Int]) -> Change { .elements(.removal, Array(range), old: .ints(old), new: nil) }

    static func replacement(_ indexes: [Int], _ old: [Int], _ new: [Int]) -> Change {
        .elements(.replacement, indexes, old: .ints(old), new: .ints(new))
    }
}
