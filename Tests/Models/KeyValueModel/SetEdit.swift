/// An edit of a part of a set.
package enum SetEdit: Sendable {
    case insert(Int)
    case remove(Int)
    case union(Set<Int>)
    case minus(Set<Int>)
    case intersect(Set<Int>)
    case replace(Set<Int>)
    /// `change { $0.formSymmetricDifference(…) }`
    case symmetricDifference(Set<Int>)

    /// What the edit makes of a set, and how it is announced: by what was really added and what really went.
    func effect(on set: Set<Int>) -> (change: Change, result: Set<Int>) {
        switch self {
        case .insert(let member): return SetEdit.union([member]).effect(on: set)
        case .remove(let member): return SetEdit.minus([member]).effect(on: set)
        case .union(let other): return (.elements(.insertion, nil, old: nil, new: .intSet(other.subtracting(set))), set.union(other))
        case .minus(let other): return (.elements(.removal, nil, old: .intSet(set.intersection(other)), new: nil), set.subtracting(other))
        case .intersect(let other):
            return (.elements(.removal, nil, old: .intSet(set.subtracting(other)), new: nil), set.intersection(other))
        case .replace(let other):
            return (
                .elements(.replacement, nil, old: .intSet(set.subtracting(other)), new: .intSet(other.subtracting(set))), other
            )
        case .symmetricDifference(let other): return (.setting, set.symmetricDifference(other))
        }
    }
}
