import SafeKVO

/// Positions that are none, in announcements by hand: they end as a plain setting, never as a trap.
enum Positions {
    /// Sets of positions that make no sense for three elements.
    static let absurd: [RangeSet<Int>] = [
        RangeSet(), RangeSet(0..<0), RangeSet(0..<Int.max), RangeSet(Int.min..<Int.max), RangeSet(Int.min..<0), RangeSet(-1..<0),
        RangeSet(Int.max - 1..<Int.max), RangeSet(3..<4), RangeSet(4..<9), RangeSet([0..<1, 2..<Int.max]),
        RangeSet([Int.min..<Int.min + 1, Int.max - 1..<Int.max]), RangeSet([2..<3, 0..<1]), RangeSet([0..<2, 1..<3]),
        RangeSet([Int.min..<(-1), 1..<Int.max]),
    ]

    static let kinds: [KeyValueChangeKind] = [.setting, .insertion, .removal, .replacement]

    static let mistakes = Mistakes(
        "positions that are none, announced by hand",
        kinds.flatMap { kind in
            absurd.map { indexes in
                Mistake("\(kind) at \(indexes)") { try announce(kind, indexes) }
            }
        } + [
            Mistake("mutations of a set that are not carried out") { try mutateSets() },
            Mistake("pairs that do not match") { try unmatchedPairs() },
            Mistake("a change in a change in a change, of everything, that throws") { try throwing() },
            Mistake("changes that are made by hand and say the wrong positions") { try wrongPositions() },
            Mistake("differences of changes that make no sense") { differences() },
        ])

    /// Lets somebody hear all there is to hear of the items.
    private static func listening(_ body: (Whole) throws -> Void) throws {
        let (whole, all) = (Whole(), Controllers())
        all.ofWatcher.observe(whole, \.items, options: [.initial, .old, .new, .prior]) { watcher, whole, change in
            _ = (change.description, change.difference, change.indexes, whole.items.count)
            watcher.call()
        }
        all.ofWatcher.observe(whole, \.items.count, options: [.old, .new, .prior]) { watcher, _, _ in watcher.call() }
        all.ofWatcher.observeEach(whole, [\.items, \.names, \.self], options: [.old, .new, .prior], tag: "all") { _, _, change in
            _ = (change.description, change.typed(as: \Whole.items)?.difference)
        }
        let before = all.calls
        try body(whole)
        whole.items = [9]
        try check(all.calls > before, "the observer has become deaf")
        try check(whole.items == [9], "the items are \(whole.items)")
    }

    private static func announce(_ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>) throws {
        for isBatch in [false, true] {
            try listening { whole in
                func all() {
                    whole.withChange(kind, valuesAt: indexes, of: \.items) {}
                    whole.withChange(kind, valuesAt: indexes, of: \.items) { whole.items.append(4) }
                    whole.withChange(kind, valuesAt: indexes, of: \.items) { whole.items = [] }
                    let change = Change(whole.willChange(\.items))
                    whole.withChange(kind, valuesAt: indexes, of: \.items) {
                        whole.items = [3]
                        change.announcement = nil
                    }
                    whole.withChange(kind, valuesAt: indexes, of: \.items) {
                        change.announcement = whole.willChange(\.items)
                        whole.items = [1]
                    }
                    change.announcement.take()?.cancel()
                }
                if isBatch { whole.withBatchedChanges { all() } } else { all() }
            }
        }
    }

    private static func wrongPositions() throws {
        try listening { whole in
            for kind in kinds {
                for other in kinds {
                    for indexes in absurd {
                        whole.withChange(kind, valuesAt: indexes, of: \.items) {
                            whole.willChangeValue(for: \.items)
                            whole.withChange(other, valuesAt: RangeSet(0..<Int.max), of: \.items) { whole.items.append(1) }
                        }
                        whole.didChangeValue(for: \.items)
                    }
                }
            }
        }
    }

    private static func mutateSets() throws {
        try listening { whole in
            for mutation in [KeyValueSetMutation.union, .minus, .intersect, .set] {
                for elements in [[], ["a"], ["b", "c"]] as [Set<String>] {
                    whole.withChange(of: \.names, withSetMutation: mutation, using: elements) {}
                    whole.withChange(of: \.names, withSetMutation: mutation, using: elements) { whole.names = ["d"] }
                    whole.withChange(of: \.names, withSetMutation: mutation, using: elements) {
                        whole.withChange(of: \.names, withSetMutation: .set, using: ["d"]) { whole.didChangeValue(for: \.names) }
                        whole.willChangeValue(for: \.names)
                    }
                    whole.didChangeValue(for: \.names)
                }
            }
        }
    }

    private static func unmatchedPairs() throws {
        try listening { whole in
            whole.didChangeValue(for: \.items)
            whole.didChangeValue(for: \.self)
            whole.didChangeValue(for: \.sum)
            for _ in 0..<1000 { whole.willChangeValue(for: \.sum) }
            for _ in 0..<2000 { whole.didChangeValue(for: \.sum) }
            for _ in 0..<10 { whole.willChange(\.sum).didChange() }
            let (one, two) = (Change(whole.willChange(\.items)), Change(whole.willChange(\.items)))
            one.announcement.take()?.cancel()
            two.announcement = nil
            whole.willChangeValue(for: \.self)
            whole.willChangeValue(for: \.number)
            whole.didChangeValue(for: \.self)
            whole.didChangeValue(for: \.number)
        }
    }

    /// Keeps an announcement as long as it likes.
    private final class Change {
        var announcement: ChangeAnnouncement<Whole, [Int]>?
        init(_ announcement: consuming ChangeAnnouncement<Whole, [Int]>) { self.announcement = consume announcement }
    }

    private static func throwing() throws {
        try listening { whole in
            try? whole.withChange(of: \.items) {
                try whole.withChange(.insertion, valuesAt: RangeSet(0..<9), of: \.items) {
                    try whole.withChange(of: \.names, withSetMutation: .set, using: []) {
                        try whole.withChange(of: \.self) {
                            try whole.withBatchedChanges { try withBatchedChanges { throw Broken("on purpose") } }
                        }
                    }
                }
            }
        }
    }

    private static func differences() {
        for kind in kinds {
            for indexes in absurd {
                for (old, new) in [([1, 2], [3]), ([], []), (nil, [1]), ([1], nil), (nil, nil)] as [([Int]?, [Int]?)] {
                    let change = KeyValueChange(
                        kind: kind, newValue: new, oldValue: old, indexes: indexes, isPrior: true, isInitial: true)
                    _ = (change.difference, change.description, change == change, change.propertyName, change.indexes)
                    let any = AnyKeyValueChange(change, keyPath: \String.count)
                    _ = (any.description, any.keyPath, any.typed(as: \String.count), any.typed(as: \Whole.items))
                }
            }
        }
    }
}
