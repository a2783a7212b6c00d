import SafeKVO
import SafeKVOTesting
import Testing

/// Beginnings without an end, and ends without a beginning.
extension ManualNotificationTests {
    @Test("Rule 24: did without will delivers nothing and harms nothing later")
    func didWithoutWill() throws {
        account.didChangeValue(for: \.left)
        listen(to: account, \.left, as: "left")
        listen(to: account, \.limit, as: "limit")
        account.foreign["left"] = 1
        for _ in 1...3 {
            account.didChangeValue(for: \.left)
            account.didChangeValue(for: \.limit)
        }
        try log.expect([])
        account.withChange(of: \.left) { account.foreign["left"] = 2 }
        account.limit = 1
        try log.expect(["left prior old 1", "left after old 1 new 2", "limit prior old 0", "limit after old 0 new 1"])
    }

    @Test("Rule 24: after will without did, an assignment is what was announced, and what follows is heard")
    func willWithoutDidThenAssignment() throws {
        listen(to: account, \.limit, as: "limit")
        account.willChangeValue(for: \.limit)
        account.limit = 1
        try log.expect(["limit prior old 0", "limit after old 0 new 1"])
        for value in 2...3 {
            account.willChangeValue(for: \.limit)
            account.limit = value
            account.didChangeValue(for: \.limit)
        }
        account.limit = 4
        account.withChange(of: \.limit) { account.limit = 5 }
        try log.expect([
            "limit prior old 1", "limit after old 1 new 2", "limit prior old 2", "limit after old 2 new 3", "limit prior old 3",
            "limit after old 3 new 4", "limit prior old 4", "limit after old 4 new 5",
        ])
    }

    @Test("Rule 24: a line that announces again and again what it never ends deafens nobody, and is warned of")
    func willWithoutDidInALoop() throws {
        listen(to: account, \.limit, as: "limit")
        listen(to: account, \.left, as: "left")
        let start: UInt = #line
        for value in 1...3 {
            account.willChangeValue(for: \.limit)
            account.willChangeValue(for: \.left)
            account.limit = value
            account.foreign["left"] = value
        }
        #expect(Warnings.about(start...#line) == ["abandonedAnnouncement 3", "abandonedAnnouncement 3"])
        try log.expect([
            "limit prior old 0", "left prior old 0", "limit after old 0 new 1", "limit prior old 1", "left prior old 1",
            "limit after old 1 new 2", "limit prior old 2", "left prior old 2", "limit after old 2 new 3",
        ])
    }

    @inline(never)
    func announceOnly() { account.willChangeValue(for: \.left) }

    @inline(never)
    func change(_ value: Int) {
        account.withChange(of: \.left) { account.foreign["left"] = value }
    }

    @Test("Rule 24: after will without did of state that nobody assigns, pairs are heard, at the latest the second time")
    func willWithoutDidThenPairs() throws {
        listen(to: account, \.left, .new, as: "left")
        announceOnly()
        for value in 1...4 { change(value) }
        let heard = log.removeAll()
        #expect(heard.suffix(3) == ["left after new 2", "left after new 3", "left after new 4"])
    }

    @Test("Rule 24: will without did of indexes deafens no assignment for good")
    func willOfIndexesWithoutDid() throws {
        func insertForgetfully() {
            account.willChange(.insertion, valuesAt: RangeSet(0..<1), for: \.items)
            account.items.insert(0, at: 0)
        }
        listen(to: account, \.items, .new, as: "items")
        insertForgetfully()
        for value in 1...3 { account.items = [value] }
        let heard = log.removeAll()
        #expect(heard.suffix(2) == ["items after new [2]", "items after new [3]"])
    }
}
