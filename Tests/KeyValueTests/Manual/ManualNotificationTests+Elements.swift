import SafeKVO
import SafeKVOTesting
import Testing

/// Announcements of elements of arrays and sets.
extension ManualNotificationTests {
    @Test("Rule 28: mutations of a set tell what was really added and removed")
    func mutationsOfASet() throws {
        func mutate(_ mutation: KeyValueSetMutation, _ using: Set<Int>, to result: Set<Int>) {
            account.withChange(of: \.members, withSetMutation: mutation, using: using) { account.members = result }
        }
        listen(to: account, \.members, as: "members")
        mutate(.union, [1, 2], to: [1, 2])
        mutate(.union, [1, 2], to: [1, 2])
        mutate(.minus, [2, 7], to: [1])
        mutate(.set, [1, 3], to: [1, 3])
        mutate(.intersect, [3, 4], to: [3])
        mutate(.set, [4], to: [4])
        try log.expect([
            "members prior insertion", "members after insertion new [2]", "members prior insertion", "members after insertion new []",
            "members prior removal old [2]", "members after removal old [2]", "members prior replacement old []",
            "members after replacement old [] new [3]", "members prior removal old [1]", "members after removal old [1]",
            "members prior replacement old [3]", "members after replacement old [3] new [4]",
        ])
    }

    @Test("Rule 3: an announcement by hand gives each observer what it asked for")
    func optionsHoldForAnnouncementsByHand() throws {
        listen(to: account, \.items, [], as: "none", tag: "none")
        listen(to: account, \.items, .new, as: "new", tag: "new")
        listen(to: account, \.items, .old, as: "old", tag: "old")
        account.withChange(.replacement, valuesAt: RangeSet(0..<1), of: \.items) { account.items[0] = 9 }
        account.withChange(of: \.items) { account.items = [] }
        try log.expect([
            "none after replacement at 0..<1", "new after replacement new [9] at 0..<1", "old after replacement old [1] at 0..<1",
            "none after", "new after new []", "old after old [9, 2, 3]",
        ])
    }

    @Test("A handler of the value form gets the whole value, however it was announced")
    func theValueFormGetsTheWholeValue() throws {
        observations.observe(account, \.items) { [log] _, items in log.append("\(items)") }
        account.withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.items) { account.items.insert(0, at: 0) }
        account.withChange(.removal, valuesAt: RangeSet(1..<3), of: \.items) { account.items.removeSubrange(1..<3) }
        try log.expect(["[1, 2, 3]", "[0, 1, 2, 3]", "[0, 3]"])
    }

    @Test("Rule 29: every route announces once")
    func everyRouteAnnouncesOnce() throws {
        listen(to: account, \.items, .new, as: "items")
        let routes: [(String, () -> Void)] = [
            ("after new [4]", { account.items = [4] }),
            ("after new [4, 5]", { account.items.append(5) }),
            ("after new [6]", { account.withChange(of: \.items) { account.items = [6] } }),
            (
                "after new [7]",
                {
                    account.willChangeValue(for: \.items)
                    account.items = [7]
                    account.didChangeValue(for: \.items)
                }
            ),
            (
                "after insertion new [8] at 1..<2",
                { account.withChange(.insertion, valuesAt: RangeSet(1..<2), of: \.items) { account.items.append(8) } }
            ),
            (
                "after removal at 0..<1",
                { account.withChange(.removal, valuesAt: RangeSet(0..<1), of: \.items) { _ = account.items.removeFirst() } }
            ),
            (
                "after new [8, 9]",
                {
                    account.withChange(of: \.items) {
                        account.withChange(.insertion, valuesAt: RangeSet(1..<2), of: \.items) { account.items.append(9) }
                    }
                }
            ),
        ]
        for (told, route) in routes {
            route()
            try log.expect(["items \(told)"])
        }
    }
}
