import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Changes that a value ends which cannot be copied.
extension ManualNotificationTests {
    @Test("Rule 24: a token announces one change, however often the property is assigned to", arguments: [true, false])
    func aToken(retains: Bool) throws {
        let observations = ObservationController(observer: teller, retainsObserved: retains)
        observations.observe(account, \.limit, options: [.old, .new, .prior]) { [log] _, _, change in log.append("limit \(change.told)") }
        let change = account.willChange(\.limit)
        try log.expect(["limit prior old 0"])
        account.limit = 1
        account.limit = 2
        try log.expect([])
        change.didChange()
        try log.expect(["limit after old 0 new 2"])
        account.limit = 3
        try log.expect(["limit prior old 2", "limit after old 2 new 3"])
    }

    @Test("Rule 24: the end of a token's scope announces the change, also if an error leaves it")
    func theEndOfTheScope() throws {
        listen(to: account, \.left, as: "left")
        func setLeft(_ value: Int, throwing error: Refusal?) throws(Refusal) {
            let change = account.willChange(\.left)
            account.foreign["left"] = value
            if let error { throw error }
            log.append("before the end")
            change.didChange()
        }
        try setLeft(1, throwing: nil)
        #expect(throws: Refusal()) { try setLeft(2, throwing: Refusal()) }
        do {
            let change = account.willChange(\.left)
            account.foreign["left"] = 3
            _ = consume change
        }
        try log.expect([
            "left prior old 0", "before the end", "left after old 0 new 1", "left prior old 1", "left after old 1 new 2",
            "left prior old 2", "left after old 2 new 3",
        ])
    }

    @Test("Rule 24: a cancelled token announces nothing, and the next change is delivered")
    func aCancelledToken() throws {
        listen(to: account, \.limit, as: "limit")
        listen(to: account, \.limit.description, as: "text")
        let change = account.willChange(\.limit)
        #expect(log.removeAll().sorted() == ["limit prior old 0", "text prior old 0"])
        account.limit = 1
        change.cancel()
        try log.expect([])
        account.limit = 2
        #expect(log.removeAll().sorted() == ["limit after old 1 new 2", "limit prior old 1", "text after old 1 new 2", "text prior old 1"])
    }

    @Test("Rules 14, 24: after a cancelled change, a path follows what it leads to")
    func aPathAfterACancelledChange() throws {
        final class Branch: KeyValueObject {
            @Observed var bank = Account()
        }
        let branch = Branch()
        let former = branch.bank
        listen(to: branch, \.bank.limit, .new, as: "limit")
        let change = branch.willChange(\.bank)
        branch.bank = Account()
        change.cancel()
        former.limit = 1
        try log.expect([])
        branch.bank.limit = 2
        try log.expect(["limit after new 2"])
    }

    @Test("Rule 24: cancelling the announcement of the object as a whole leaves nothing behind")
    func aCancelledChangeOfTheWholeObject() throws {
        observations.observe(account, \.self, options: .prior) { [log] _, _, change in log.append(change.told) }
        account.willChange(\.self).cancel()
        try log.expect(["prior"])
        account.willChange(\.self).didChange()
        try log.expect(["prior", "after"])
    }

    @Test("Rule 23: tokens, closures and pairs of one key nest, in whatever order they end")
    func tokensNest() throws {
        listen(to: account, \.limit, as: "limit")
        let first = account.willChange(\.limit)
        let second = account.willChange(\.limit)
        account.willChangeValue(for: \.limit)
        account.withChange(of: \.limit) { account.limit = 1 }
        first.didChange()
        account.limit = 2
        account.didChangeValue(for: \.limit)
        account.limit = 3
        try log.expect(["limit prior old 0"])
        second.didChange()
        try log.expect(["limit after old 0 new 3"])
        let outer = account.willChange(\.limit)
        account.willChange(\.limit).cancel()
        account.limit = 4
        outer.didChange()
        try log.expect(["limit prior old 3", "limit after old 3 new 4"])
    }

    @Test("Rules 24, 47: tokens inside a batch, and a batch inside a token")
    func tokensAndBatches() throws {
        listen(to: account, \.limit, as: "limit")
        withBatchedChanges {
            for value in 1...3 {
                let change = account.willChange(\.limit)
                account.limit = value
                change.didChange()
            }
            log.append("the end of the batch")
        }
        let change = account.willChange(\.limit)
        withBatchedChanges { for value in 4...5 { account.limit = value } }
        log.append("after the batch")
        change.didChange()
        try log.expect([
            "limit prior old 0", "the end of the batch", "limit after old 0 new 3", "limit prior old 3", "after the batch",
            "limit after old 3 new 5",
        ])
    }

    @Test("Rule 24: a token keeps its object until it ends")
    func aTokenKeepsItsObject() throws {
        let observations = ObservationController(observer: teller, retainsObserved: false)
        var account: Account? = Account()
        weak let kept = account
        observations.observe(account, \.limit, options: .new) { [log] _, _, change in log.append(change.told) }
        func change() {
            guard let change = account?.willChange(\.limit) else { return }
            account?.limit = 1
            account = nil
            #expect(kept != nil)
            change.didChange()
        }
        change()
        #expect(kept == nil)
        try log.expect(["after new 1"])
    }
}
