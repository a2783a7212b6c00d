import KeyValueModel

extension ArrayEdit {
    /// Makes the edit of anything that is edited as an array is.
    func perform<Items: RangeReplaceableCollection & MutableCollection & BidirectionalCollection>(on items: inout Items, _ count: Int)
    where Items.Element == Int, Items.Index == Int {
        switch self {
        case .append(let new):
            if new.count == 1 { items.append(new[0]) } else { items.append(contentsOf: new) }
        case .insert(let new, let wish):
            let at = Self.position(wish, in: count + 1)
            if new.count == 1 { items.insert(new[0], at: at) } else { items.insert(contentsOf: new, at: at) }
        case .remove(let wish): items.remove(at: Self.position(wish, in: count))
        case .removeLast: items.removeLast()
        case .removeAll: items.removeAll()
        case .replace(let wish, let new): items[Self.position(wish, in: count)] = new
        case .swap(let left, let right): items.swapAt(Self.position(left, in: count), Self.position(right, in: count))
        case .replaceRange(let wish, let length, let new):
            items.replaceSubrange(Self.range(at: wish, length: length, in: count), with: new)
        }
    }
}

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
        }
    }
}
