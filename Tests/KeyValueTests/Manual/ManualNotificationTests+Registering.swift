import SafeKVO
import SafeKVOTesting
import Testing

/// Observers that come and go while an announcement is open.
extension ManualNotificationTests {
    @Test("Rule 25: an observer that registers between will and did does not hear that did")
    func registeringBetweenWillAndDid() throws {
        listen(to: account, \.left, as: "early")
        account.willChangeValue(for: \.left)
        listen(to: account, \.left, as: "late", tag: "late")
        listen(to: account, \.left, [.initial, .new], as: "initial", tag: "initial")
        account.foreign["left"] = 1
        account.didChangeValue(for: \.left)
        try log.expect(["early prior old 0", "initial initial new 0", "early after old 0 new 1"])
        account.withChange(of: \.left) { account.foreign["left"] = 2 }
        try log.expect([
            "early prior old 1", "late prior old 1", "early after old 1 new 2", "late after old 1 new 2", "initial after new 2",
        ])
    }

    @Test("Rule 10: the evaluation at the end calls whoever observes what depends on the key")
    func registeringForADependentKeyBetweenWillAndDid() throws {
        listen(to: account, \.items.count, .new, as: "early")
        account.withChange(of: \.items) {
            listen(to: account, \.items.count, .new, as: "late", tag: "late")
            account.items.append(4)
        }
        try log.expect(["early after new 4", "late after new 4"])
    }

    @Test("Rules 9, 25: who is the first to observe between will and did hears the next change")
    func theFirstObserverBetweenWillAndDid() throws {
        account.willChangeValue(for: \.left)
        listen(to: account, \.left, as: "late")
        account.foreign["left"] = 1
        account.didChangeValue(for: \.left)
        try log.expect([])
        account.withChange(of: \.left) { account.foreign["left"] = 2 }
        try log.expect(["late prior old 1", "late after old 1 new 2"])
    }

    @Test("Rule 25: who is the first to observe inside a scoped change hears none of what belongs to it, whatever is nested in it")
    func theFirstObserverInsideAScope() throws {
        account.withChange(of: \.limit) {
            listen(to: account, \.limit, as: "limit")
            listen(to: account, \.name, as: "name")
            account.limit = 1
            account.withChange(of: \.limit) { account.limit = 2 }
            account.willChangeValue(for: \.limit)
            account.didChangeValue(for: \.limit)
            account.mutableArrayValue(for: \.items).append(4)
            account.name = "b"
        }
        try log.expect(["name prior old a", "name after old a new b"])
        account.limit = 3
        try log.expect(["limit prior old 2", "limit after old 2 new 3"])
    }

    @Test("Rule 25: of an inner scoped change, who observes since the outer one of another key hears all")
    func theFirstObserverBeforeAnInnerScope() throws {
        account.withChange(of: \.name) {
            listen(to: account, \.limit, as: "limit")
            account.withChange(of: \.limit) { account.limit = 1 }
            account.limit = 2
        }
        try log.expect(["limit prior old 0", "limit after old 0 new 1", "limit prior old 1", "limit after old 1 new 2"])
    }

    @Test("Rule 23: assignments inside a scoped change inside a plain pair are part of one change")
    func assignmentsInsideAScopeInsideAPair() throws {
        listen(to: account, \.limit, .new, as: "limit")
        account.willChangeValue(for: \.limit)
        account.withChange(of: \.limit) {
            account.limit = 1
            account.limit = 2
        }
        account.didChangeValue(for: \.limit)
        try log.expect(["limit after new 2"])
    }

    @Test(
        "Rules 9, 10, 25: the first observer of a key, inside a plain pair, gets nothing of that change, and one of what depends on it does"
    )
    func theFirstObserverInsideAPlainPair() throws {
        account.willChangeValue(for: \.limit)
        account.limit = 1
        listen(to: account, \.limit, as: "limit")
        listen(to: account, \.limit.description, as: "text")
        account.limit = 2
        account.willChangeValue(for: \.limit)
        account.limit = 3
        account.didChangeValue(for: \.limit)
        account.didChangeValue(for: \.limit)
        try log.expect(["text after old 1 new 3"])
        account.limit = 4
        #expect(log.removeAll().sorted() == ["limit after old 3 new 4", "limit prior old 3", "text after old 3 new 4", "text prior old 3"])
    }

    @Test("Rules 14, 25: a path that is first observed inside a pair of a hop follows what the hop leads to after it")
    func aPathFirstObservedInsideAPair() throws {
        final class Branch: KeyValueObject {
            @Observed var bank = Account()
        }
        let branch = Branch()
        let former = branch.bank
        branch.willChangeValue(for: \.bank)
        listen(to: branch, \.bank.limit, as: "limit")
        branch.bank = Account()
        branch.didChangeValue(for: \.bank)
        try log.expect(["limit after old 0 new 0"])
        former.limit = 1
        try log.expect([])
        branch.bank.limit = 2
        try log.expect(["limit prior old 0", "limit after old 0 new 2"])
    }

    @Test("Rule 10: an observer that is removed between will and did is not called, nor when it registers again")
    func removingBetweenWillAndDid() throws {
        listen(to: account, \.left, as: "stays")
        listen(to: account, \.left, as: "goes", tag: "goes")
        account.willChangeValue(for: \.left)
        observations.unobserve(account, \.left, tag: "goes")
        listen(to: account, \.left, as: "again", tag: "goes")
        account.foreign["left"] = 1
        account.didChangeValue(for: \.left)
        try log.expect(["stays prior old 0", "goes prior old 0", "stays after old 0 new 1"])
    }

    @Test("Rule 10: when all are removed between will and did, the pair ends and the next is heard")
    func removingAllBetweenWillAndDid() throws {
        listen(to: account, \.left, as: "first")
        account.willChangeValue(for: \.left)
        observations.unobserveAll()
        account.didChangeValue(for: \.left)
        listen(to: account, \.left, as: "second")
        account.withChange(of: \.left) { account.foreign["left"] = 1 }
        try log.expect(["first prior old 0", "second prior old 0", "second after old 0 new 1"])
    }
}
