/// An edit of a part of an array.
///
/// Positions are wishes: ``position(_:in:)`` makes possible ones of them, so that every step can be run whatever steps before it are left out.
package enum ArrayEdit: Sendable {
    case append([Int])
    case insert([Int], at: Int)
    case remove(at: Int)
    case removeLast
    case removeAll
    case replace(at: Int, with: Int)
    case swap(Int, Int)
    case replaceRange(at: Int, length: Int, with: [Int])
    /// `change { $0.sort() }`
    case sort

    /// The possible position that a wish comes to.
    package static func position(_ wish: Int, in count: Int) -> Int { count == 0 ? 0 : wish % count }

    /// The range that a wish comes to.
    package static func range(at wish: Int, length: Int, in count: Int) -> Range<Int> {
        let start = wish % (count + 1)
        return start..<min(start + length, count)
    }

    /// Whether the edit can be made at all of an array of so many elements.
    package func isPossible(in count: Int) -> Bool {
        switch self {
        case .append, .insert, .removeAll, .replaceRange, .sort: true
        case .remove, .removeLast, .replace: count > 0
        case .swap(let left, let right): count > 0 && left % count != right % count
        }
    }

    /// What the edit makes of an array, and how it is announced.
    func effect(on items: [Int]) -> (change: Change, result: [Int]) {
        let count = items.count
        switch self {
        case .append(let new):
            return (.insertion(count..<count + new.count, new), items + new)
        case .insert(let new, let wish):
            let at = wish % (count + 1)
            return (.insertion(at..<at + new.count, new), items[..<at] + new + items[at...])
        case .remove(let wish):
            return removal(of: wish % count, from: items)
        case .removeLast:
            return removal(of: count - 1, from: items)
        case .removeAll:
            return (.removal(0..<count, items), [])
        case .replace(let wish, let new):
            let at = wish % count
            return (.replacement([at], [items[at]], [new]), items[..<at] + [new] + items[(at + 1)...])
        case .swap(let left, let right):
            let (first, last) = (min(left % count, right % count), max(left % count, right % count))
            var result = items
            result[first] = items[last]
            result[last] = items[first]
            return (.replacement([first, last], [items[first], items[last]], [items[last], items[first]]), result)
        case .replaceRange(let wish, let length, let new):
            let range = Self.range(at: wish, length: length, in: count)
            let result = items[..<range.lowerBound] + new + items[range.upperBound...]
            if new.count == range.count { return (.replacement(Array(range), Array(items[range]), new), Array(result)) }
            if range.isEmpty { return (.insertion(range.lowerBound..<range.lowerBound + new.count, new), Array(result)) }
            if new.isEmpty { return (.removal(range, Array(items[range])), Array(result)) }
            return (.setting, Array(result))
        case .sort: return (.setting, items.sorted())
        }
    }

    private func removal(of at: Int, from items: [Int]) -> (Change, [Int]) {
        (.removal(at..<at + 1, [items[at]]), Array(items[..<at] + items[(at + 1)...]))
    }
}
