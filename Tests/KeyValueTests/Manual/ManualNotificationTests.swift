import SafeKVO
import SafeKVODiagnostics
import SafeKVOTesting
import TestSupport
import Testing

@Suite struct ManualNotificationTests {
    class Account: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the tests never use an account on two threads at once.
        @Observed var name = "a"
        @Observed var balance = 0
        @AtomicObserved var visits = 0
        @Observed var limit = 0
        @Observed var items = [1, 2, 3]
        @Observed var members: Set<Int> = [1]
        /// State that nothing observes.
        var foreign = ["left": 0, "right": 0]

        var left: Int { foreign["left"] ?? 0 }
        var right: Int { foreign["right"] ?? 0 }

        override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool {
            key != \Account.balance && key != \Account.visits
        }
    }

    final class Savings: Account, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) as above.
        override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool {
            key != \Savings.limit && super.automaticallyNotifiesObservers(for: key)
        }
    }

    final class Teller: Sendable {}
    struct Refusal: Error, Equatable {}

    let account = Account()
    let teller = Teller()
    let observations: ObservationController<Teller>
    let log = EventLog<String>()

    init() {
        Warnings.listen()
        observations = ObservationController(observer: teller)
    }

    func listen<Object: KeyValueObservable, Value>(
        to object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions = [.old, .new, .prior],
        as name: String, tag: ObservationTag? = nil
    ) {
        observations.observe(object, keyPath, options: options, tag: tag) { [log] _, _, change in log.append("\(name) \(change.told)") }
    }

    // MARK: Automatic or not

    @Test("Rule 21: a class silences assignments to one key, and only to that")
    func aSilencedKeySilencesNoOther() throws {
        listen(to: account, \.name, as: "name")
        listen(to: account, \.balance, as: "balance")
        observations.observe(
            account, \.visits, options: [.old, .new, .prior], on: .anyThread { [log] _, _, change in log.append("visits \(change.told)") })
        account.balance = 5
        account.balance += 1
        account.visits = 1
        account.$visits.update { $0 += 1 }
        account.name = "b"
        account.withChange(of: \.balance) { account.balance = 7 }
        account.withChange(of: \.visits) { account.visits = 3 }
        account.balance = 8
        try log.expect([
            "name prior old a", "name after old a new b", "balance prior old 6", "balance after old 6 new 7", "visits prior old 2",
            "visits after old 2 new 3",
        ])
    }

    @Test("Rule 21: a subclass silences more, through key paths of either class")
    func aSubclassSilencesMore() throws {
        let savings = Savings()
        listen(to: savings as Account, \Account.limit, as: "limit")
        listen(to: savings, \Savings.balance, as: "balance")
        listen(to: savings, \Savings.name, as: "name")
        savings.limit = 1
        savings.balance = 1
        savings.name = "b"
        savings.withChange(of: \.limit) { savings.limit = 2 }
        try log.expect(["name prior old a", "name after old a new b", "limit prior old 1", "limit after old 1 new 2"])
        listen(to: account, \.limit, as: "limit")
        account.limit = 9
        try log.expect(["limit prior old 0", "limit after old 0 new 9"])
    }

    @Test("Rule 21: the derived value of a silenced key follows what is announced, and nothing else")
    func aDerivedValueFollowsAnnouncements() throws {
        listen(to: account, \.balance.description, as: "text")
        account.balance = 1
        account.withChange(of: \.balance) { account.balance = 2 }
        try log.expect(["text prior old 0", "text after old 0 new 2"])
    }

    @Test("Rule 20: what is announced through a key path of the subclass is heard through one of the superclass, and the reverse")
    func anAnnouncementIsHeardThroughEitherClass() throws {
        let savings = Savings()
        listen(to: savings as Account, \Account.left, .new, as: "Account")
        listen(to: savings, \Savings.left, .new, as: "Savings")
        savings.withChange(of: \Savings.left) { savings.foreign["left"] = 1 }
        #expect(log.removeAll().sorted() == ["Account after new 1", "Savings after new 1"])
        (savings as Account).withChange(of: \Account.left) { savings.foreign["left"] = 2 }
        #expect(log.removeAll().sorted() == ["Account after new 2", "Savings after new 2"])
    }

    // MARK: Nesting

    @Test("Rule 22: pairs of different keys nest last in, first out")
    func pairsOfDifferentKeysNest() throws {
        listen(to: account, \.left, as: "left")
        listen(to: account, \.right, as: "right")
        account.willChangeValue(for: \.left)
        account.willChangeValue(for: \.right)
        account.foreign = ["left": 1, "right": 2]
        account.didChangeValue(for: \.right)
        account.didChangeValue(for: \.left)
        try log.expect(["left prior old 0", "right prior old 0", "right after old 0 new 2", "left after old 0 new 1"])
    }

    @Test("Rule 22: each pair has its own end, in whatever order they come")
    func pairsMayOverlap() throws {
        listen(to: account, \.left, as: "left")
        listen(to: account, \.right, as: "right")
        account.willChangeValue(for: \.left)
        account.willChangeValue(for: \.right)
        account.foreign = ["left": 1, "right": 2]
        account.didChangeValue(for: \.left)
        account.didChangeValue(for: \.right)
        try log.expect(["left prior old 0", "right prior old 0", "left after old 0 new 1", "right after old 0 new 2"])
    }

    @Test("Rule 23: however deep pairs of one key nest, there is one prior and one after call, at the outermost pair", arguments: 1...4)
    func pairsOfOneKeyCountDepth(depth: Int) throws {
        listen(to: account, \.left, as: "left")
        func nest(_ level: Int) {
            account.willChangeValue(for: \.left)
            account.foreign["left", default: 0] += 1
            if level > 1 { nest(level - 1) }
            log.append("did \(level)")
            account.didChangeValue(for: \.left)
        }
        nest(depth)
        let inner = (1..<depth).map { "did \($0)" }
        try log.expect(["left prior old 0"] + inner + ["did \(depth)", "left after old 0 new \(depth)"])
        nest(1)
        try log.expect(["left prior old \(depth)", "did 1", "left after old \(depth) new \(depth + 1)"])
    }

    @Test("Rule 23: three pairs written one after the other count as three")
    func threePairsInARow() throws {
        listen(to: account, \.left, as: "left")
        account.willChangeValue(for: \.left)
        account.willChangeValue(for: \.left)
        account.willChangeValue(for: \.left)
        account.foreign["left"] = 1
        account.didChangeValue(for: \.left)
        account.foreign["left"] = 2
        account.didChangeValue(for: \.left)
        try log.expect(["left prior old 0"])
        account.foreign["left"] = 3
        account.didChangeValue(for: \.left)
        try log.expect(["left after old 0 new 3"])
        account.didChangeValue(for: \.left)
        try log.expect([])
    }

    @Test("Rule 23: pairs of two places that take turns inside a pair are part of it")
    func pairsInTurnNest() throws {
        listen(to: account, \.left, [.new, .prior], as: "left")
        account.willChangeValue(for: \.left)
        for round in 1...3 {
            account.willChangeValue(for: \.left)
            account.foreign["left"] = 2 * round - 1
            account.didChangeValue(for: \.left)
            account.willChangeValue(for: \.left)
            account.foreign["left"] = 2 * round
            account.didChangeValue(for: \.left)
        }
        account.didChangeValue(for: \.left)
        try log.expect(["left prior", "left after new 6"])
    }

    @Test("Rule 23: scoped changes nest as pairs do, and take in assignments")
    func scopedChangesNest() throws {
        listen(to: account, \.limit, as: "limit")
        account.withChange(of: \.limit) {
            account.limit = 1
            account.withChange(of: \.limit) {
                account.limit = 2
                account.withChange(of: \.limit) { account.limit += 1 }
                account.limit *= 2
            }
            log.append("still inside")
        }
        account.limit = 7
        try log.expect(["limit prior old 0", "still inside", "limit after old 0 new 6", "limit prior old 6", "limit after old 6 new 7"])
    }

    @Test("Rules 23, 37: a change that another thread has announced swallows nothing, and continues what that thread has told")
    func anotherThreadsOpenChangeIsNotNesting() throws {
        listen(to: account, \.left, as: "left")
        listen(to: account, \.limit, as: "limit")
        account.willChangeValue(for: \.left)
        account.willChangeValue(for: \.limit)
        try log.expect(["left prior old 0", "limit prior old 0"])
        OtherThread.run { [account] in
            account.limit = 1
            account.withChange(of: \.left) { account.foreign["left"] = 1 }
        }
        try log.expect(["limit prior old 0", "limit after old 0 new 1", "left prior old 0", "left after old 0 new 1"])
        account.foreign["left"] = 2
        account.didChangeValue(for: \.left)
        account.limit = 2
        account.didChangeValue(for: \.limit)
        // The other thread's call has told the value 1 (rule 37).
        try log.expect(["left after old 1 new 2", "limit after old 0 new 2"])
    }

    @Test("Rule 23: did on another thread does not end this one's change")
    func didOnAnotherThreadEndsNothing() throws {
        listen(to: account, \.left, as: "left")
        account.willChangeValue(for: \.left)
        account.foreign["left"] = 1
        OtherThread.run { [account] in account.didChangeValue(for: \.left) }
        try log.expect(["left prior old 0"])
        account.didChangeValue(for: \.left)
        try log.expect(["left after old 0 new 1"])
    }

    // MARK: Diagnostics

    @Test("Rule 24: an observation of a key that the same thread began to change and did not end is reported, once, and listed")
    func observingAnewIsReported() throws {
        let start: UInt = #line
        account.willChangeValue(for: \.limit)
        listen(to: account, \.name, as: "name")
        #expect(Warnings.about(start...start + 1) == [])
        OtherThread.run { [account, log] in
            let other = ObservationController(observer: log)
            other.observe(account, \.limit, options: []) { _, _, _ in }
        }
        #expect(Warnings.about(start...start + 1) == [])
        for tag in ["one", "two"] { listen(to: account, \.limit, as: "limit", tag: "\(tag)") }
        #expect(Warnings.about(start...start + 1) == ["abandonedAnnouncement 1"])
        let listed = ObservationDiagnostics.observations(of: account)
        #expect(listed.compactMap(\.unmatchedChange?.line) == [UInt16(start + 1), UInt16(start + 1)])
        #expect(listed.filter { $0.unmatchedChange != nil }.allSatisfy { $0.name == "limit" && $0.description.contains("not ended") })
        account.didChangeValue(for: \.limit)
        #expect(ObservationDiagnostics.observations(of: account).allSatisfy { $0.unmatchedChange == nil })
    }

    // MARK: Bodies and handlers

    @Test("A change whose body throws is announced as made, and the error comes through")
    func aThrowingBody() throws {
        listen(to: account, \.left, as: "left")
        let error = #expect(throws: Refusal.self) {
            try account.withChange(of: \.left) { () throws(Refusal) in
                account.foreign["left"] = 1
                throw Refusal()
            }
        }
        #expect(error == Refusal())
        try log.expect(["left prior old 0", "left after old 0 new 1"])
        let result = account.withChange(of: \.left) { "result" }
        #expect(result == "result")
        try log.expect(["left prior old 1", "left after old 1 new 1"])
    }

    @Test("A computed property over foreign state is observed as if it were stored")
    func foreignState() throws {
        listen(to: account, \.left, [.initial, .old, .new, .prior], as: "left")
        account.foreign["left"] = 1
        try log.expect(["left initial new 0"])
        account.withChange(of: \.left) { account.foreign["left"] = 2 }
        try log.expect(["left prior old 1", "left after old 1 new 2"])
    }

    @Test("An observer announces a key of its own in the prior and after calls of another")
    func announcingADerivedKeyInCalls() throws {
        final class Mirror: KeyValueObject {
            var stored = 0
            var doubled: Int { stored * 2 }
            private lazy var observations = ObservationController(observer: self)

            func follow(_ account: Account) {
                observations.observe(account, \.limit, options: [.new, .prior]) { mirror, _, change in
                    if change.isPrior { return mirror.willChangeValue(for: \.doubled) }
                    mirror.stored = change.newValue ?? 0
                    mirror.didChangeValue(for: \.doubled)
                }
            }
        }
        let mirror = Mirror()
        mirror.follow(account)
        listen(to: account, \.limit, as: "limit")
        listen(to: mirror, \.doubled, as: "doubled")
        for value in 1...2 { account.limit = value }
        try log.expect([
            "doubled prior old 0", "limit prior old 0", "doubled after old 0 new 2", "limit after old 0 new 1",
            "doubled prior old 2", "limit prior old 1", "doubled after old 2 new 4", "limit after old 1 new 2",
        ])
    }
}
