import KeyValueModel
import SafeKVO

extension ArrayEdit {
    /// Makes the edit of an array.
    func perform(on items: inout [Int]) {
        let count = items.count
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
        case .sort: items.sort()
        }
    }

    /// Makes the edit through a proxy.
    func perform<Root>(on proxy: MutableArrayValue<Root, Int>) {
        let count = proxy.count
        guard isPossible(in: count) else { return }
        switch self {
        case .append(let new):
            if new.count == 1 { proxy.append(new[0]) } else { proxy.append(contentsOf: new) }
        case .insert(let new, let wish):
            let at = Self.position(wish, in: count + 1)
            if new.count == 1 { proxy.insert(new[0], at: at) } else { proxy.insert(contentsOf: new, at: at) }
        case .remove(let wish): proxy.remove(at: Self.position(wish, in: count))
        case .removeLast: proxy.removeLast()
        case .removeAll: proxy.removeAll()
        case .replace(let wish, let new): proxy[Self.position(wish, in: count)] = new
        case .swap(let left, let right): proxy.swapAt(Self.position(left, in: count), Self.position(right, in: count))
        case .replaceRange(let wish, let length, let new):
            proxy.replaceSubrange(Self.range(at: wish, length: length, in: count), with: new)
        case .sort: proxy.change { $0.sort() }
        }
    }
}
