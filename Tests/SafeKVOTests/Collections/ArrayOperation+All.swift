import SafeKVO

extension ArrayOperation {
    static let all = insertions + removals + replacements + orders

    /// A sort as generic code writes it.
    private static func sortGenerically<C: MutableCollection & RandomAccessCollection>(_ elements: inout C) where C.Element: Comparable {
        elements.sort()
    }

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
        .insertion("+=", [1, 2], at: [2..<4], new: [8, 9], result: [1, 2, 8, 9]) { items in
            var items = items
            items += [8, 9]
        },
        .insertion("insert at the beginning", [1, 2], at: [0..<1], new: [9], result: [9, 1, 2]) { $0.insert(9, at: 0) },
        .insertion("insert between", [1, 2], at: [1..<2], new: [9], result: [1, 9, 2]) { $0.insert(9, at: 1) },
        .insertion("insert at the end", [1, 2], at: [2..<3], new: [9], result: [1, 2, 9]) { $0.insert(9, at: 2) },
        .insertion("insert contents", [1, 2], at: [1..<4], new: [7, 8, 9], result: [1, 7, 8, 9, 2]) {
            $0.insert(contentsOf: 7...9, at: 1)
        },
        .insertion("insert contents of nothing", [1, 2], at: [], new: [], result: [1, 2]) { $0.insert(contentsOf: [], at: 1) },
        .insertion("insert at two indexes", [1, 2], at: [0..<1, 2..<3], new: [8, 9], result: [8, 1, 9, 2]) {
            $0.insert([8, 9], at: RangeSet([0..<1, 2..<3]))
        },
        .insertion("insert at indexes up to the end", [1, 2, 3], at: [1..<3, 5..<6], new: [7, 8, 9], result: [1, 7, 8, 2, 3, 9]) {
            $0.insert([7, 8, 9], at: RangeSet([1..<3, 5..<6]))
        },
        .insertion("insert at one index", [1, 2], at: [1..<2], new: [9], result: [1, 9, 2]) { $0.insert([9], at: RangeSet(1..<2)) },
        .insertion("insert at indexes into nothing", [], at: [0..<2], new: [8, 9], result: [8, 9]) {
            $0.insert([8, 9], at: RangeSet(0..<2))
        },
        .insertion("insert at no index", [1, 2], at: [], new: [], result: [1, 2]) { $0.insert([], at: RangeSet()) },
        .insertion("replace nothing by something", [1, 2], at: [1..<3], new: [8, 9], result: [1, 8, 9, 2]) {
            $0.replaceSubrange(1..<1, with: [8, 9])
        },
        .insertion("set a slice of nothing", [1, 2], at: [0..<1], new: [9], result: [9, 1, 2]) { $0[0..<0] = [9] },
    ]

    static let removals: [Self] = [
        .removal("remove the first", [1, 2, 3], at: [0..<1], old: [1], result: [2, 3]) { $0.remove(at: 0) },
        .removal("remove the middle", [1, 2, 3], at: [1..<2], old: [2], result: [1, 3]) { $0.remove(at: 1) },
        .removal("remove the last", [1, 2, 3], at: [2..<3], old: [3], result: [1, 2]) { $0.remove(at: 2) },
        .removal("removeFirst", [1, 2, 3], at: [0..<1], old: [1], result: [2, 3]) { $0.removeFirst() },
        .removal("removeFirst of two", [1, 2, 3], at: [0..<2], old: [1, 2], result: [3]) { $0.removeFirst(2) },
        .removal("removeFirst of none", [1, 2, 3], at: [], old: [], result: [1, 2, 3]) { $0.removeFirst(0) },
        .removal("removeLast", [1, 2, 3], at: [2..<3], old: [3], result: [1, 2]) { $0.removeLast() },
        .removal("removeLast of two", [1, 2, 3], at: [1..<3], old: [2, 3], result: [1]) { $0.removeLast(2) },
        .removal("removeLast of none", [1, 2, 3], at: [], old: [], result: [1, 2, 3]) { $0.removeLast(0) },
        .removal("popLast", [1, 2, 3], at: [2..<3], old: [3], result: [1, 2]) { $0.popLast() },
        .removal("popLast of nothing", [], at: [], old: [], result: []) { $0.popLast() },
        .removal("remove a range", [1, 2, 3, 4], at: [1..<3], old: [2, 3], result: [1, 4]) { $0.removeSubrange(1..<3) },
        .removal("remove a range to the end", [1, 2, 3], at: [1..<3], old: [2, 3], result: [1]) { $0.removeSubrange(1...) },
        .removal("remove an empty range", [1, 2, 3], at: [], old: [], result: [1, 2, 3]) { $0.removeSubrange(2..<2) },
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
        .removal("removeSubranges", [1, 2, 3], at: [0..<1, 2..<3], old: [1, 3], result: [2]) {
            $0.removeSubranges(RangeSet([0..<1, 2..<3]))
        },
        .removal("replace a range by nothing", [1, 2, 3], at: [0..<2], old: [1, 2], result: [3]) {
            $0.replaceSubrange(0..<2, with: [])
        },
        .removal("set a slice to nothing", [1, 2, 3], at: [0..<2], old: [1, 2], result: [3]) { $0[0...1] = [] },
    ]

    static let replacements: [Self] = [
        .replacement("set an element", [1, 2, 3], at: [1..<2], old: [2], new: [9], result: [1, 9, 3]) { $0[1] = 9 },
        .replacement("set an equal element", [1, 2, 3], at: [1..<2], old: [2], new: [2], result: [1, 2, 3]) { $0[1] = 2 },
        .replacement("change an element in place", [1, 2, 3], at: [2..<3], old: [3], new: [13], result: [1, 2, 13]) { $0[2] += 10 },
        .replacement("replace a range", [1, 2, 3, 4], at: [1..<3], old: [2, 3], new: [8, 9], result: [1, 8, 9, 4]) {
            $0.replaceSubrange(1..<3, with: [8, 9])
        },
        .replacement("replace a closed range", [1, 2, 3], at: [1..<3], old: [2, 3], new: [8, 9], result: [1, 8, 9]) {
            $0.replaceSubrange(1...2, with: [8, 9])
        },
        .replacement("replace nothing by nothing", [1, 2], at: [], old: [], new: [], result: [1, 2]) {
            $0.replaceSubrange(1..<1, with: [])
        },
        .setting("replace two by one", [1, 2, 3], result: [1, 9]) { $0.replaceSubrange(1..<3, with: [9]) },
        .setting("replace one by two", [1, 2, 3], result: [1, 8, 9, 3]) { $0.replaceSubrange(1..<2, with: [8, 9]) },
        .replacement("replace at indexes", [1, 2, 3, 4], at: [0..<1, 3..<4], old: [1, 4], new: [8, 9], result: [8, 2, 3, 9]) {
            $0.replace(at: RangeSet([0..<1, 3..<4]), with: [8, 9])
        },
        .replacement("replace at no index", [1, 2], at: [], old: [], new: [], result: [1, 2]) { $0.replace(at: RangeSet(), with: []) },
        .replacement("set a slice", [1, 2, 3], at: [0..<2], old: [1, 2], new: [8, 9], result: [8, 9, 3]) { $0[0..<2] = [8, 9] },
        .replacement("set a slice of its own", [1, 2, 3, 4], at: [0..<2], old: [1, 2], new: [3, 4], result: [3, 4, 3, 4]) {
            $0[..<2] = $0[2...]
        },
        .setting("set a slice to a longer one", [1, 2, 3], result: [7, 8, 9, 2, 3]) { $0[0..<1] = [7, 8, 9] },
        .replacement("sort a slice", [1, 4, 3, 2], at: [1..<4], old: [4, 3, 2], new: [2, 3, 4], result: [1, 2, 3, 4]) { $0[1...].sort() },
        .setting("append to a slice", [1, 2, 3], result: [1, 9, 2, 3]) { $0[0..<1].append(9) },
        .replacement("change storage", [1, 2, 3], at: [0..<3], old: [1, 2, 3], new: [1, 9, 3], result: [1, 9, 3]) { items in
            // SAFETY: an index in range.
            _ = unsafe items.withContiguousMutableStorageIfAvailable { unsafe $0[1] = 9 }
        },
        .replacement("change storage of nothing", [], at: [], old: [], new: [], result: []) {
            _ = unsafe $0.withContiguousMutableStorageIfAvailable { unsafe $0.reverse() }
        },
    ]

    static let orders: [Self] = [
        .replacement("swap two", [1, 2, 3, 4], at: [0..<1, 3..<4], old: [1, 4], new: [4, 1], result: [4, 2, 3, 1]) { $0.swapAt(0, 3) },
        .replacement("swap two the other way", [1, 2, 3], at: [0..<1, 2..<3], old: [1, 3], new: [3, 1], result: [3, 2, 1]) {
            $0.swapAt(2, 0)
        },
        .replacement("swap neighbours", [1, 2, 3], at: [1..<3], old: [2, 3], new: [3, 2], result: [1, 3, 2]) { $0.swapAt(1, 2) },
        .replacement("swap one with itself", [1, 2, 3], at: [1..<2], old: [2], new: [2], result: [1, 2, 3]) { $0.swapAt(1, 1) },
        .replacement("reverse", [1, 2, 3], at: [0..<3], old: [1, 2, 3], new: [3, 2, 1], result: [3, 2, 1]) { $0.reverse() },
        .replacement("reverse nothing", [], at: [], old: [], new: [], result: []) { $0.reverse() },
        .replacement("sort", [3, 1, 2], at: [0..<3], old: [3, 1, 2], new: [1, 2, 3], result: [1, 2, 3]) { $0.sort() },
        .replacement("sort what is sorted", [1, 2], at: [0..<2], old: [1, 2], new: [1, 2], result: [1, 2]) { $0.sort() },
        .replacement("sort by", [3, 1, 2], at: [0..<3], old: [3, 1, 2], new: [3, 2, 1], result: [3, 2, 1]) { $0.sort(by: >) },
        .replacement("sort nothing", [], at: [], old: [], new: [], result: []) { $0.sort() },
        .replacement("sort in generic code", [3, 1, 2], at: [0..<3], old: [3, 1, 2], new: [1, 2, 3], result: [1, 2, 3]) { items in
            var items = items
            sortGenerically(&items)
        },
        .replacement("shuffle one", [1], at: [0..<1], old: [1], new: [1], result: [1]) { $0.shuffle() },
        .replacement("shuffle with the last each time", [1, 2, 3], at: [0..<3], old: [1, 2, 3], new: [3, 1, 2], result: [3, 1, 2]) {
            items in
            struct Greatest: RandomNumberGenerator { func next() -> UInt64 { .max } }
            var greatest = Greatest()
            items.shuffle(using: &greatest)
        },
        .replacement("partition", [3, 1, 4, 2], at: [0..<4], old: [3, 1, 4, 2], new: [2, 1, 4, 3], result: [2, 1, 4, 3]) {
            $0.partition { $0 > 2 }
        },
        .replacement("move to the end", [1, 2, 3, 4], at: [0..<4], old: [1, 2, 3, 4], new: [2, 4, 1, 3], result: [2, 4, 1, 3]) {
            $0.moveSubranges(RangeSet([0..<1, 2..<3]), to: 4)
        },
    ]
}
