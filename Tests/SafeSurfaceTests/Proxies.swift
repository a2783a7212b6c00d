import SafeKVO

/// Proxies of collections, with positions that are none: a message, before anybody hears of a change.
enum Proxies {
    typealias Items = MutableArrayValue<Whole, Int>

    private static func misuse(_ name: String, _ use: @escaping @Sendable (Items) -> Void) -> [FatalMistake] {
        [
            FatalMistake("a proxy, \(name)", says: "MutableArrayValue") { use(Whole().mutableArrayValue(for: \.items)) },
            FatalMistake("a proxy of an atomic property, \(name)", says: "MutableArrayValue") {
                use(Whole().mutableArrayValue(for: \.sharedItems))
            },
        ]
    }

    static let fatal =
        misuse("read before") { _ = $0[-1] } + misuse("read at the least") { _ = $0[Int.min] } + misuse("read behind") { _ = $0[3] }
        + misuse("read at the most") { _ = $0[Int.max] } + misuse("read a slice") { _ = $0[2..<Int.max] }
        + misuse("read a slice from the least") { _ = $0[Int.min..<1] } + misuse("set at the least") { $0[Int.min] = 1 }
        + misuse("set at the most") { $0[Int.max] = 1 } + misuse("insert at the least") { $0.insert(1, at: Int.min) }
        + misuse("insert at the most") { $0.insert(contentsOf: [1], at: Int.max) }
        + misuse("remove at the most") { $0.remove(at: Int.max) } + misuse("remove everywhere") { $0.remove(at: RangeSet(0..<Int.max)) }
        + misuse("remove at all numbers") { $0.remove(at: RangeSet(Int.min..<Int.max)) }
        + misuse("remove the first of nothing") { remove(from: $0) { $0.removeFirst() } }
        + misuse("remove the last of nothing") { remove(from: $0) { $0.removeLast() } }
        + misuse("replace everywhere") { $0.replaceSubrange(0..<Int.max, with: [1]) }
        + misuse("replace all numbers") { $0.replaceSubrange(Int.min..<Int.max, with: []) }
        + misuse("swap with the least") { $0.swapAt(0, Int.min) }
        + [
            FatalMistake("a handler that is told before an edit takes away what is edited", says: "MutableArrayValue") {
                changedBefore({ $0.remove(at: 2) }, \.items, to: [])
            },
            FatalMistake("a handler that is told before an edit of an atomic property takes it away", says: "MutableArrayValue") {
                changedBefore({ $0.remove(at: 2) }, \.sharedItems, to: [])
            },
        ]

    private static func remove(from items: Items, _ remove: (Items) -> Int) {
        items.removeAll()
        _ = remove(items)
    }

    static let mistakes = Mistakes(
        "proxies of collections",
        [
            Mistake("every edit, with nothing and with everything") { try everyEdit() },
            Mistake("every edit of a set") { try everySetEdit() },
            Mistake("after the property was replaced, the object went, and inside each other's handlers") { try afterwards() },
            Mistake("through paths to objects that come and go") { try throughPaths() },
            Mistake("edits that throw") { try throwing() },
            Mistake("positions that are none") {
                let items = Whole().mutableArrayValue(for: \.items)
                let positions = [items.index(after: Int.max), items.index(before: Int.min), items.index(1, offsetBy: Int.max)]
                try check(positions == [Int.min, Int.max, Int.min], "\(positions)")
                try check(items.distance(from: Int.min, to: Int.max) == -1, "a distance")
            },
        ])

    @MainActor private static func listening(_ options: KeyValueObservingOptions, _ body: (Whole, Controllers) throws -> Void) throws {
        let (whole, all) = (Whole(), Controllers())
        all.ofWatcher.observeEach(whole, [\.items, \.sharedItems, \.names, \.items.count], options: options) { watcher, whole, change in
            _ = (change.description, whole.items.count, whole.names.count)
            watcher.call()
        }
        try body(whole, all)
    }

    @MainActor private static func everyEdit() throws {
        for options in [[], .new, [.old, .new, .prior, .initial]] as [KeyValueObservingOptions] {
            try listening(options) { whole, _ in
                for items in [whole.mutableArrayValue(for: \.items), whole.mutableArrayValue(for: \.sharedItems)] {
                    try edit(items)
                    withBatchedChanges { try? edit(items) }
                }
                try check(whole.items == whole.sharedItems, "\(whole.items), \(whole.sharedItems)")
            }
        }
    }

    private static func edit(_ items: Items) throws {
        let none = RangeSet<Int>()
        items.append(4)
        items.append(contentsOf: [] as [Int])
        items.append(contentsOf: items)
        items.insert(5, at: items.endIndex)
        items.insert(contentsOf: items.array, at: 0)
        items.insert(contentsOf: [] as [Int], at: items.count)
        items.remove(at: none)
        items.remove(at: RangeSet([0..<1, 3..<4]))
        items.replaceSubrange(0..<0, with: [] as [Int])
        items.replaceSubrange(0..<1, with: items.prefix(2))
        items.replaceSubrange(0..<items.count, with: items)
        items[0] = items[0]
        items.swapAt(0, 0)
        items.change { $0.sort { _, _ in true } }
        items.change { $0.shuffle() }
        items.change { $0.sort(by: >) }
        items.change { $0 += items }
        items.change { _ in }
        items.removeFirst()
        items.removeLast()
        items.remove(at: 0)
        items.removeAll { $0 > 5 }
        _ = (items + [1], items.description, items.first, items.last)
        _ = (items.indices, items.startIndex, items.makeIterator(), Array(items.lazy.map { $0 }), items.isEmpty)
        _ = (items.index(after: -5), items.index(before: 9), items.index(0, offsetBy: -9), items.distance(from: 9, to: -9))
        _ = (items[0...], items[..<1], items[0..<0])
        items.removeAll()
        items.removeAll(keepingCapacity: true)
        items.change { $0.sort() }
        items.append(contentsOf: [1, 2, 3])
    }

    @MainActor private static func everySetEdit() throws {
        for options in [[], .new, [.old, .new, .prior, .initial]] as [KeyValueObservingOptions] {
            try listening(options) { whole, _ in
                let names = whole.mutableSetValue(for: \.names)
                for other in [[], ["a"], ["a", "b", "a"], names.set.sorted()] as [[String]] {
                    names.formUnion(other)
                    names.formIntersection(other)
                    names.subtract(other)
                    names.change { $0.formSymmetricDifference(other) }
                    names.set(to: other)
                    names.formUnion(names)
                    names.formIntersection(names)
                }
                names.insert("c")
                names.insert("c")
                names.change { $0.update(with: "c") }
                names.remove("z")
                _ = (names.contains("c"), names.description, names.count)
                _ = (names.isEmpty, Array(names), names.makeIterator())
                names.subtract(names)
                names.removeAll()
                names.removeAll(keepingCapacity: true)
                try check(whole.names.isEmpty, "\(whole.names)")
            }
        }
    }

    @MainActor private static func afterwards() throws {
        try listening([.old, .new, .prior]) { whole, all in
            let (items, names) = (whole.mutableArrayValue(for: \.items), whole.mutableSetValue(for: \.names))
            whole.items = []
            whole.names = []
            items.append(1)
            names.insert("x")
            try check(whole.items == [1] && whole.names == ["x"], "\(whole.items), \(whole.names)")
            // Whoever hears of an edit edits as well, before it and after it.
            var depth = 0
            all.ofWatcher.observe(whole, \.items, options: [.prior, .new], tag: "edits") { _, whole, change in
                guard depth < 3 else { return }
                depth += 1
                defer { depth -= 1 }
                let items = whole.mutableArrayValue(for: \.items)
                if change.isPrior { items.removeAll() } else { items.insert(contentsOf: [9, 2], at: 0) }
            }
            items.append(2)
            items.removeAll { $0 == 9 }
            items.replaceSubrange(0..<1, with: [])
            try check(items.array == whole.items, "the proxy shows \(items.array) of \(whole.items)")
            all.ofWatcher.unobserveAll()
        }
        var whole: Whole? = Whole()
        let items = whole?.mutableArrayValue(for: \.items)
        whole = nil
        items?.append(1)
        for edit in [
            { $0.remove(at: 2) }, { $0.removeLast() }, { $0[2] = 9 }, { $0.swapAt(0, 2) },
            { $0.replaceSubrange(1..<3, with: []) }, { $0.insert(9, at: 3) }, { $0.replaceSubrange(0..<3, with: [1]) },
            { $0.removeAll { $0 > 1 } }, { $0.remove(at: RangeSet([0..<1, 2..<3])) }, { $0.change { $0.reverse() } },
        ] as [(Items) -> Void] {
            changedBefore(edit, \.items, to: [1, 2, 3, 4])
            changedBefore(edit, \.sharedItems, to: [1, 2, 3, 4])
        }
        try check(items?.array == [1, 2, 3, 1], "the proxy has let its object go")
    }

    /// Lets a handler that is told before an edit put other elements there.
    @MainActor private static func changedBefore(
        _ edit: (Items) -> Void, _ keyPath: ReferenceWritableKeyPath<Whole, [Int]>, to elements: [Int]
    ) {
        let (whole, all) = (Whole(), Controllers())
        var isFirst = true
        all.ofWatcher.observe(whole, keyPath, options: .prior) { _, whole, _ in
            guard isFirst else { return }
            isFirst = false
            whole[keyPath: keyPath] = elements
        }
        edit(whole.mutableArrayValue(for: keyPath))
    }

    @MainActor private static func throughPaths() throws {
        let (whole, all) = (Whole(), Controllers())
        whole.part = Whole()
        let items = whole.mutableArrayValue(for: \.part!.items)
        all.ofWatcher.observe(whole, \.part!.items, options: [.old, .new]) { watcher, _, _ in watcher.call() }
        items.append(4)
        whole.part = Whole()
        items.append(5)
        try check(items.array == [1, 2, 3, 5] && all.calls == 3, "\(items.array), \(all.calls) calls")
        let own = whole.mutableArrayValue(for: \.self.items)
        own.append(9)
        try check(whole.items.last == 9, "\(whole.items)")
    }

    @MainActor private static func throwing() throws {
        try listening([.old, .new, .prior]) { whole, _ in
            for items in [whole.mutableArrayValue(for: \.items), whole.mutableArrayValue(for: \.sharedItems)] {
                try? items.change { try $0.sort { _, _ in throw Broken("on purpose") } }
                try? items.removeAll { _ in throw Broken("on purpose") }
                try? items.change { _ in throw Broken("on purpose") }
                try check(items.array.sorted() == [1, 2, 3], "\(items.array)")
            }
        }
    }
}
