import SafeKVO
import SafeKVOTesting
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

    final class Teller {}
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
        listen(to: account, \.visits, as: "visits")
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
        try log.expect(["text prior old 1", "text after old 1 new 2"])
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

    @Test("Rule 23: a change that another thread has announced swallows nothing")
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
        // An assignment replaces what it finds (rule 37), also where it is what was announced.
        account.limit = 2
        account.didChangeValue(for: \.limit)
        try log.expect(["left after old 0 new 2", "limit after old 1 new 2"])
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

    // MARK: Unpaired

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

    @inline(never)
    func changeElsewhere(_ value: Int) {
        account.withChange(of: \.left) { account.foreign["left"] = value }
    }

    @inline(never)
    func changeFurtherOff(_ value: Int) {
        account.withChange(of: \.left) { account.foreign["left"] = value }
    }

    @Test(
        "Rule 24: after will without did, pairs of several places that take turns are heard, at the latest the second time, and it is warned of"
    )
    func willWithoutDidThenPairsInTurn() throws {
        listen(to: account, \.left, .new, as: "left")
        let line: UInt = 12_000
        account.willChangeValue(for: \.left, line: line)
        for round in 0...1 {
            change(3 * round + 1)
            changeElsewhere(3 * round + 2)
            changeFurtherOff(3 * round + 3)
        }
        let heard = log.removeAll()
        #expect(heard.suffix(3) == ["left after new 4", "left after new 5", "left after new 6"])
        #expect(Warnings.about(line...line) == ["abandonedAnnouncement 0"])
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

    // MARK: Coming and going meanwhile

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

    @Test("Rule 25: nor does one of what depends on the key, whatever others asked for")
    func registeringForADependentKeyBetweenWillAndDid() throws {
        listen(to: account, \.items.count, .new, as: "early")
        account.withChange(of: \.items) {
            listen(to: account, \.items.count, .new, as: "late", tag: "late")
            account.items.append(4)
        }
        try log.expect(["early after new 4"])
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

    @Test("Rules 24, 25: what is assigned inside a scoped change after a plain pair was completed is not lost")
    func assignmentsInsideAScopeInsideAPair() throws {
        listen(to: account, \.limit, .new, as: "limit")
        account.willChangeValue(for: \.limit)
        account.withChange(of: \.limit) {
            account.limit = 1
            account.limit = 2
        }
        account.didChangeValue(for: \.limit)
        try log.expect(["limit after new 1", "limit after new 2"])
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

    // MARK: What does not fit

    struct Misfit: CustomTestStringConvertible {
        let testDescription: String
        let will: (kind: KeyValueChangeKind, indexes: RangeSet<Int>)
        let did: (kind: KeyValueChangeKind, indexes: RangeSet<Int>)
        let result: [Int]
        let prior: String

        init(
            _ name: String, _ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>, then other: KeyValueChangeKind,
            _ otherIndexes: RangeSet<Int>,
            result: [Int], prior: String
        ) {
            testDescription = name
            will = (kind, indexes)
            did = (other, otherIndexes)
            self.result = result
            self.prior = prior
        }
    }

    static let misfits = [
        Misfit(
            "another kind", .insertion, RangeSet(0..<1), then: .removal, RangeSet(0..<1), result: [0, 1, 2, 3],
            prior: "prior insertion at 0..<1"),
        Misfit(
            "a setting", .insertion, RangeSet(0..<1), then: .setting, RangeSet(), result: [0, 1, 2, 3], prior: "prior insertion at 0..<1"),
        Misfit(
            "other indexes", .insertion, RangeSet(0..<1), then: .insertion, RangeSet(1..<2), result: [0, 1, 2, 3],
            prior: "prior insertion at 0..<1"),
        Misfit(
            "an insertion that is not carried out", .insertion, RangeSet(1..<2), then: .insertion, RangeSet(1..<2), result: [1, 2, 3],
            prior: "prior insertion at 1..<2"),
        Misfit(
            "an insertion of too few", .insertion, RangeSet([0..<1, 3..<5]), then: .insertion, RangeSet([0..<1, 3..<5]),
            result: [0, 1, 2, 3], prior: "prior insertion at 0..<1 3..<5"),
        Misfit(
            "an insertion that became a removal", .insertion, RangeSet(2..<4), then: .insertion, RangeSet(2..<4), result: [],
            prior: "prior insertion at 2..<4"),
        Misfit(
            "a removal that is not carried out", .removal, RangeSet(0..<2), then: .removal, RangeSet(0..<2), result: [1, 2, 3],
            prior: "prior removal old [1, 2] at 0..<2"),
        Misfit(
            "a replacement of another number", .replacement, RangeSet(0..<2), then: .replacement, RangeSet(0..<2), result: [9],
            prior: "prior replacement old [1, 2] at 0..<2"),
        Misfit(
            "a removal out of range", .removal, RangeSet(2..<4), then: .removal, RangeSet(2..<4), result: [1], prior: "prior old [1, 2, 3]"),
        Misfit(
            "a replacement out of range", .replacement, RangeSet(7..<8), then: .replacement, RangeSet(7..<8), result: [1, 2, 4],
            prior: "prior old [1, 2, 3]"),
        Misfit("negative indexes", .removal, RangeSet(-1..<1), then: .removal, RangeSet(-1..<1), result: [3], prior: "prior old [1, 2, 3]"),
    ]

    @Test("Rule 26: what was announced wrongly is told as a setting and warned of once", arguments: misfits.indices)
    func aMisfitIsToldAsASetting(index: Int) throws {
        let misfit = Self.misfits[index]
        let line = 10_000 + UInt(index)
        listen(to: account, \.items, as: "items")
        account.willChange(misfit.will.kind, valuesAt: misfit.will.indexes, for: \.items, line: line)
        account.items = misfit.result
        account.didChange(misfit.did.kind, valuesAt: misfit.did.indexes, for: \.items, line: line)
        try log.expect(["items \(misfit.prior)", "items after old [1, 2, 3] new \(misfit.result)"])
        #expect(Warnings.about(line...line) == ["unfulfilledAnnouncement 0"])
        account.items = [5]
        try log.expect(["items prior old \(misfit.result)", "items after old \(misfit.result) new [5]"])
        #expect(Warnings.about(line...line).count == 1)
    }

    @Test("Rule 26: an insertion out of range is told as a setting and warned of", arguments: [RangeSet(7..<8), RangeSet(-1..<0)])
    func anInsertionOutOfRange(indexes: RangeSet<Int>) throws {
        let line: UInt = indexes.contains(7) ? 11_000 : 11_001
        listen(to: account, \.items, as: "items")
        account.withChange(.insertion, valuesAt: indexes, of: \.items, line: line) { account.items.append(4) }
        #expect(log.events.last == "items after old [1, 2, 3] new [1, 2, 3, 4]")
        #expect(log.events.count == 2)
        #expect(Warnings.about(line...line) == ["unfulfilledAnnouncement 0"])
    }

    @Test("Rules 24, 26: what was announced and not done is told by the name of the property")
    func aMisfitHasTheNameOfTheProperty() throws {
        listen(to: account, \.items, as: "items")
        listen(to: account, \.visits, as: "visits")
        let start: UInt = #line
        account.withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.items) {}
        account.withChange(.removal, valuesAt: RangeSet(7..<8), of: \.items) {}
        for _ in 1...2 { account.willChangeValue(for: \.visits) }
        let messages = Warnings.messages(start...#line).map { $0.split(separator: ";")[0] }
        #expect(
            messages == [
                "The change of Account.items announced as insertion at \(RangeSet(0..<1)) was not carried out",
                "The change of Account.items announced as removal at \(RangeSet(7..<8)) cannot be done to the value that is there",
                "The change of Account.visits announced here was never announced as made",
            ])
    }

    @Test("Rule 26: a set that did not change as announced is told as a setting and warned of")
    func aSetMisfit() throws {
        listen(to: account, \.members, as: "members")
        let start: UInt = #line
        account.withChange(of: \.members, withSetMutation: .union, using: [2]) { account.members = [] }
        #expect(Warnings.about(start...#line) == ["unfulfilledAnnouncement 1"])
        try log.expect(["members prior insertion", "members after old [1] new []"])
        account.willChangeValue(for: \.members, withSetMutation: .union, using: [3])
        account.members = [3]
        account.didChangeValue(for: \.members, withSetMutation: .minus, using: [3])
        #expect(Warnings.about(start...#line) == ["unfulfilledAnnouncement 1", "unfulfilledAnnouncement 6"])
        try log.expect(["members prior insertion", "members after old [] new [3]"])
    }

    @Test("Rule 26: what fits is not warned of")
    func whatFitsIsNotWarnedOf() throws {
        let start: UInt = #line
        listen(to: account, \.items, as: "items")
        account.withChange(.insertion, valuesAt: RangeSet([0..<1, 4..<5]), of: \.items) { account.items = [0, 1, 2, 3, 4] }
        account.withChange(.removal, valuesAt: RangeSet([0..<1, 2..<3]), of: \.items) { account.items = [1, 3, 4] }
        account.withChange(.replacement, valuesAt: RangeSet(1..<3), of: \.items) { account.items = [1, 8, 9] }
        account.withChange(.removal, valuesAt: RangeSet(), of: \.items) {}
        #expect(Warnings.about(start...#line) == [])
        try log.expect([
            "items prior insertion at 0..<1 4..<5", "items after insertion new [0, 4] at 0..<1 4..<5",
            "items prior removal old [0, 2] at 0..<1 2..<3", "items after removal old [0, 2] at 0..<1 2..<3",
            "items prior replacement old [3, 4] at 1..<3", "items after replacement old [3, 4] new [8, 9] at 1..<3",
            "items prior removal old [] at ", "items after removal old [] at ",
        ])
    }

    // MARK: Elements

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
                {
                    account.willChange(.removal, valuesAt: RangeSet(0..<1), for: \.items)
                    account.items.removeFirst()
                    account.didChange(.removal, valuesAt: RangeSet(0..<1), for: \.items)
                }
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
