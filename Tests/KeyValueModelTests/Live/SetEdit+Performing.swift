import KeyValueModel
import SafeKVO

extension SetEdit {
    /// Makes the edit of a set.
    func perform(on set: inout Set<Int>) {
        switch self {
        case .insert(let member): set.insert(member)
        case .remove(let member): set.remove(member)
        case .union(let other): set.formUnion(other)
        case .minus(let other): set.subtract(other)
        case .intersect(let other): set.formIntersection(other)
        case .replace(let other): set = other
        case .symmetricDifference(let other): set.formSymmetricDifference(other)
        }
    }

    /// Makes the edit through a proxy.
    func perform<Root>(on proxy: MutableSetValue<Root, Int>) {
        switch self {
        case .insert(let member): proxy.insert(member)
        case .remove(let member): proxy.remove(member)
        case .union(let other): proxy.formUnion(other)
        case .minus(let other): proxy.subtract(other)
        case .intersect(let other): proxy.formIntersection(other)
        case .replace(let other): proxy.set(to: other)
        case .symmetricDifference(let other): proxy.change { $0.formSymmetricDifference(other) }
        }
    }
}
