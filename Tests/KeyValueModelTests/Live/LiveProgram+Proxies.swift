import KeyValueModel
import SafeKVO

/// Edits through the proxies of collections.
extension LiveProgram {
    func editItems(_ node: Int, _ route: Route, _ edit: ArrayEdit) {
        switch route {
        case .own: edit.perform(on: nodes[node].mutableArrayValue(for: \.items))
        case .inner: edit.perform(on: subjects[node].mutableArrayValue(for: \.inner.items))
        case .part: edit.perform(on: subjects[node].mutableArrayValue(for: \.part.items))
        case .innerPart: edit.perform(on: subjects[node].mutableArrayValue(for: \.inner.part.items))
        }
    }

    func editSet(_ node: Int, _ route: Route, _ edit: SetEdit) {
        switch route {
        case .own: edit.perform(on: nodes[node].mutableSetValue(for: \.set))
        case .inner: edit.perform(on: subjects[node].mutableSetValue(for: \.inner.set))
        case .part: edit.perform(on: subjects[node].mutableSetValue(for: \.part.set))
        case .innerPart: edit.perform(on: subjects[node].mutableSetValue(for: \.inner.part.set))
        }
    }
}

extension ArrayEdit {
    /// Makes the edit through a proxy.
    fileprivate func perform<Root>(on proxy: MutableArrayValue<Root, Int>) {
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
        }
    }
}

extension SetEdit {
    /// Makes the edit through a proxy.
    fileprivate func perform<Root>(on proxy: MutableSetValue<Root, Int>) {
        switch self {
        case .insert(let member): proxy.insert(member)
        case .remove(let member): proxy.remove(member)
        case .union(let other): proxy.formUnion(other)
        case .minus(let other): proxy.subtract(other)
        case .intersect(let other): proxy.formIntersection(other)
        case .replace(let other): proxy.set(to: other)
        }
    }
}
