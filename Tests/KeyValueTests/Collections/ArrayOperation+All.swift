import SafeKVO

extension ArrayOperation {
    static let all = insertions + removals + replacements + settings

    static let insertions: [Self] = [
        .insertion("append", [1, 2, 3, 4], at: [4..<5], new: [9], result: [1, 2, 3, 4, 9]) { $0.append(9) },
        .insertion("append to nothing", [], at: [0..<1], new: [9], result: [9]) { $0.append(9) },
        .insertion("append an equal element", [1], at: [1..<2], new: [1], result: [1, 1]) { $0.append(1) },
        .insertion("append contents", [1, 2], at: [2..<4], new: [8, 9], result: [1, 2, 8, 9]) { $0.append(contentsOf: [8, 9]) },
        .insertion("append contents of nothing", [1, 2], at: [], new: [], result: [1, 2]) { $0.append(contentsOf: []) },
        .insertion("append itself", [1, 2], at: [2..<4], new: [1, 2], result: [1, 2, 1, 2]) { $0.append(contentsOf: $0) },
        .insertion("append what reads it", [1, 2], at: [2..<4], new: [3, 4], result: [1, 2, 3, 4]) { items in
            items.append(contentsOf: items.lazy.map { $0 + items.count })
        },
        .insertion("insert at the beginning", [1, 2], at: [0..<1], new: [9], result: [9, 1, 2]) { $0.insert(9, at: 0) },
        .insertion("insert between", [1, 2], at: [1..<2], new: [9], result: [1, 9, 2]) { $0.insert(9, at: 1) },
        .insertion("insert at the end", [1, 2], at: [2..<3], new: [9], result: [1, 2, 9]) { $0.insert(9, at: 2) },
        .insertion("insert contents", [1, 2], at: [1..<4], new: [7, 8, 9], result: [1, 7, 8, 9, 2]) {
            $0.insert(contentsOf: 7...9, at: 1)
        },
        .insertion("insert contents of nothing", [1, 2], at: [], new: [], result: [1, 2]) { $0.insert(contentsOf: [], at: 1) },
        .insertion("replace nothing by something", [1, 2], at: [1..<3], new: [8, 9], result: [1, 8, 9, 2]) {
            $0.replaceSubrange(1..<1, with: [8, 9])
        },
        .insertion("replace nothing of nothing", [], at: [0..<1], new: [9], result: [9]) { $0.replaceSubrange(0..<0, with: [9]) },
    ]

    static let removals: [Self] = [
        .removal("remove the first", [1, 2, 3], at: [0..<1], old: [1], result: [2, 3]) { $0.remove(at: 0) },
        .removal("remove the middle", [1, 2, 3], at: [1..<2], old: [2], result: [1, 3]) { $0.remove(at: 1) },
        .removal("remove the last", [1, 2, 3], at: [2..<3], old: [3], result: [1, 2]) { $0.remove(at: 2) },
        .removal("removeFirst", [1, 2, 3], at: [0..<1], old: [1], result: [2, 3]) { $0.removeFirst() },
        .removal("removeLast", [1, 2, 3], at: [2..<3], old: [3], result: [1, 2]) { $0.removeLast() },
        .removal("removeAll", [1, 2, 3], at: [0..<3], old: [1, 2, 3], result: []) { $0.removeAll() },
        .removal("removeAll of nothing", [], at: [], old: [], result: []) { $0.removeAll() },
        .removal("removeAll keeping capacity", [1, 2, 3], at: [0..<3], old: [1, 2, 3], result: []) {
            $0.removeAll(keepingCapacity: true)
        },
        .removal("removeAll where some are", [1, 2, 3, 4, 6], at: [1..<2, 3..<5], old: [2, 4, 6], result: [1, 3]) {
            $0.removeAll { $0.isMultiple(of: 2) }
        },
        .removal("removeAll where all are", [1, 2], at: [0..<2], old: [1, 2], result: []) { $0.removeAll { _ in true } },
        .removal("removeAll where none is", [1, 2], at: [], old: [], result: [1, 2]) { $0.removeAll { _ in false } },
        .removal("remove at indexes", [1, 2, 3, 4], at: [0..<1, 2..<4], old: [1, 3, 4], result: [2]) {
            $0.remove(at: RangeSet([0..<1, 2..<4]))
        },
        .removal("remove at no index", [1, 2], at: [], old: [], result: [1, 2]) { $0.remove(at: RangeSet()) },
        .removal("replace a range by nothing", [1, 2, 3], at: [0..<2], old: [1, 2], result: [3]) {
            $0.replaceSubrange(0..<2, with: [])
        },
    ]

    static let replacements: [Self] = [
        .replacement("set an element", [1, 2, 3], at: [1..<2], old: [2], new: [9], result: [1, 9, 3]) { $0[1] = 9 },
        .replacement("set an equal element", [1, 2, 3], at: [1..<2], old: [2], new: [2], result: [1, 2, 3]) { $0[1] = 2 },
        .replacement("change an element in place", [1, 2, 3], at: [2..<3], old: [3], new: [13], result: [1, 2, 13]) { $0[2] += 10 },
        .replacement("replace a range", [1, 2, 3, 4], at: [1..<3], old: [2, 3], new: [8, 9], result: [1, 8, 9, 4]) {
            $0.replaceSubrange(1..<3, with: [8, 9])
        },
        .replacement("replace nothing by nothing", [1, 2], at: [], old: [], new: [], result: [1, 2]) {
            $0.replaceSubrange(1..<1, with: [])
        },
        .replacement("replace by a slice of its own", [1, 2, 3, 4], at: [0..<2], old: [1, 2], new: [3, 4], result: [3, 4, 3, 4]) {
            $0.replaceSubrange(0..<2, with: $0[2...])
        },
        .replacement("swap two", [1, 2, 3, 4], at: [0..<1, 3..<4], old: [1, 4], new: [4, 1], result: [4, 2, 3, 1]) { $0.swapAt(0, 3) },
        .replacement("swap two the other way", [1, 2, 3], at: [0..<1, 2..<3], old: [1, 3], new: [3, 1], result: [3, 2, 1]) {
            $0.swapAt(2, 0)
        },
        .replacement("swap neighbours", [1, 2, 3], at: [1..<3], old: [2, 3], new: [3, 2], result: [1, 3, 2]) { $0.swapAt(1, 2) },
        .replacement("swap one with itself", [1, 2, 3], at: [1..<2], old: [2], new: [2], result: [1, 2, 3]) { $0.swapAt(1, 1) },
    ]

    static let settings: [Self] = [
        .setting("replace two by one", [1, 2, 3], result: [1, 9]) { $0.replaceSubrange(1..<3, with: [9]) },
        .setting("replace one by two", [1, 2, 3], result: [1, 8, 9, 3]) { $0.replaceSubrange(1..<2, with: [8, 9]) },
        .setting("change: sort", [3, 1, 2], result: [1, 2, 3]) { $0.change { $0.sort() } },
        .setting("change: sort what is sorted", [1, 2], result: [1, 2]) { $0.change { $0.sort() } },
        .setting("change: sort nothing", [], result: []) { $0.change { $0.sort() } },
        .setting("change: several edits", [1, 2, 3], result: [9, 2]) {
            $0.change { items in
                items.removeLast()
                items.append(9)
                items.swapAt(0, 2)
                items.removeLast()
            }
        },
        .setting("change: remove all", [1, 2], result: []) { $0.change { $0 = [] } },
        .setting("change: fill what is empty", [], result: [1]) { $0.change { $0.append(1) } },
        .setting("change: nothing", [1, 2], result: [1, 2]) { $0.change { _ in } },
        .setting("change: a generic algorithm", [3, 1, 2], result: [3, 2, 1]) { $0.change { sortDown(&$0) } },
        .setting("change: read it", [1, 2], result: [3, 3]) { items in
            items.change { for index in $0.indices { $0[index] = items.reduce(0, +) } }
        },
        .setting("change: throw", [1, 2, 3], result: [1, 2]) { items in
            struct Failure: Error {}
            try? items.change {
                $0.removeLast()
                throw Failure()
            }
        },
    ]

    private static func sortDown<C: MutableCollection & RandomAccessCollection>(_ elements: inout C) where C.Element: Comparable {
        elements.sort(by: >)
    }
}
