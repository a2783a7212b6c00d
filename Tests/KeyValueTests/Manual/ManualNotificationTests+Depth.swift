import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Pairs inside pairs of one key, wherever they stand in the program.
extension ManualNotificationTests {
    @inline(never)
    private func bump() {
        account.willChangeValue(for: \.left)
        account.foreign["left", default: 0] += 1
        account.didChangeValue(for: \.left)
    }

    @Test("Rule 23: pairs of one line that runs often inside a pair are part of it", arguments: [1, 2, 3, 100])
    func oneLineInALoop(rounds: Int) throws {
        listen(to: account, \.left, as: "left")
        account.willChangeValue(for: \.left)
        for _ in 0..<rounds { bump() }
        account.foreign["left"] = 99
        account.didChangeValue(for: \.left)
        try log.expect(["left prior old 0", "left after old 0 new 99"])
        bump()
        bump()
        try log.expect(["left prior old 99", "left after old 99 new 100", "left prior old 100", "left after old 100 new 101"])
    }

    @Test("Rule 23: the depth of the stack makes no difference", arguments: [true, false])
    func theStackMakesNoDifference(beginsDeep: Bool) throws {
        @inline(never)
        func deep(_ level: Int, _ body: () -> Void) {
            let stack = "\(level)"
            if level > 0 { deep(level - 1, body) } else { body() }
            _ = stack.count
        }
        listen(to: account, \.left, as: "left")
        if beginsDeep {
            deep(50) { account.willChangeValue(for: \.left) }
            bump()
            deep(10) { bump() }
            account.didChangeValue(for: \.left)
        } else {
            account.willChangeValue(for: \.left)
            deep(50) { bump() }
            bump()
            deep(50) { account.didChangeValue(for: \.left) }
        }
        try log.expect(["left prior old 0", "left after old 0 new 2"])
    }

    @Test("Rule 23: recursion nests, however deep")
    func deepRecursion() throws {
        listen(to: account, \.limit, as: "limit")
        func recur(_ level: Int) {
            account.willChangeValue(for: \.limit)
            account.limit += 1
            if level > 1 { recur(level - 1) }
            account.didChangeValue(for: \.limit)
        }
        recur(2_000)
        try log.expect(["limit prior old 0", "limit after old 0 new 2000"])
    }

    @Test("Rule 23: all assignments inside a pair are one change of a stored property", arguments: [true, false])
    func assignmentsInsideAPair(retains: Bool) throws {
        let observations = ObservationController(observer: teller, retainsObserved: retains)
        observations.observe(account, \.limit, options: [.old, .new, .prior]) { [log] _, _, change in log.append("limit \(change.told)") }
        observations.observe(account, \.items, options: [.old, .new, .prior]) { [log] _, _, change in log.append("items \(change.told)") }
        account.willChangeValue(for: \.limit)
        account.limit = 1
        account.limit += 1
        account.limit = 3
        account.didChangeValue(for: \.limit)
        account.willChangeValue(for: \.items)
        account.items.append(4)
        account.mutableArrayValue(for: \.items).append(5)
        account.items[0] = 0
        account.didChangeValue(for: \.items)
        try log.expect([
            "limit prior old 0", "limit after old 0 new 3", "items prior old [1, 2, 3]", "items after old [1, 2, 3] new [0, 2, 3, 4, 5]",
        ])
    }

    @Test("Rule 23: writes of an atomic property inside a pair are one change")
    func atomicWritesInsideAPair() throws {
        final class Counter: KeyValueObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) its property is atomic.
            @AtomicObserved var count = 0
        }
        struct Refusal: Error {}
        let counter = Counter()
        observations.observe(
            counter, \.count, options: [.old, .new, .prior], on: .anyThread { [log] _, _, change in log.append("count \(change.told)") })
        observations.observe(
            counter, \.count.description, options: [.old, .new, .prior],
            on: .anyThread { [log] _, _, change in log.append("text \(change.told)") })
        counter.willChangeValue(for: \.count)
        _ = log.removeAll()
        counter.count = 1
        counter.$count.update { $0 += 1 }
        #expect(throws: Refusal.self) { try counter.$count.update { _ in throw Refusal() } }
        try log.expect([])
        OtherThread.run { counter.count = 7 }
        #expect(log.removeAll().sorted() == ["count after old 2 new 7", "count prior old 2", "text after old 0 new 7", "text prior old 0"])
        counter.count = 8
        counter.didChangeValue(for: \.count)
        #expect(log.removeAll().sorted() == ["count after old 0 new 8", "text after old 7 new 8"])
    }

    class Song: KeyValueObject {
        enum Form: CaseIterable { case bare, closure, token, nested }
        @Observed private var stored = "a"
        var form = Form.bare
        var title: String {
            get { stored }
            set {
                switch form {
                case .bare:
                    willChangeValue(for: \.title)
                    stored = newValue
                    didChangeValue(for: \.title)
                case .closure: withChange(of: \.title) { stored = newValue }
                case .token:
                    let change = willChange(\.title)
                    stored = newValue
                    change.didChange()
                case .nested:
                    willChangeValue(for: \.title)
                    withChange(of: \.title) { stored = newValue + "?" }
                    stored = newValue
                    didChangeValue(for: \.title)
                }
            }
        }
    }

    @Test("Rule 23: a pair around an assignment that the getter reads is one change", arguments: Song.Form.allCases, [true, false])
    func aPairAroundWhatTheGetterReads(form: Song.Form, isBatch: Bool) throws {
        let song = Song()
        song.form = form
        listen(to: song, \.title, as: "title")
        if isBatch { withBatchedChanges { song.title = "b" } } else { song.title = "b" }
        try log.expect(["title prior old a", "title after old a new b"])
        song.title = "c"
        try log.expect(["title prior old b", "title after old b new c"])
    }

    @Test("Rule 23: an observer that changes the key after its change makes a change of its own")
    func aChangeInAHandler() throws {
        observations.observe(account, \.limit, options: .new, tag: "first") { [log] _, account, change in
            log.append("first \(change.told)")
            if account.limit < 3 { account.withChange(of: \.limit) { account.limit += 1 } }
        }
        account.willChangeValue(for: \.limit)
        account.limit = 1
        account.didChangeValue(for: \.limit)
        try log.expect(["first after new 1", "first after new 2", "first after new 3"])
    }

    @Test("Rule 23: what an observer changes before the change is part of it")
    func aChangeInAPriorHandler() throws {
        observations.observe(account, \.limit, options: [.old, .new, .prior], tag: "first") { [log] _, account, change in
            log.append("first \(change.told)")
            if change.isPrior { account.limit = 5 }
        }
        account.willChangeValue(for: \.limit)
        account.didChangeValue(for: \.limit)
        try log.expect(["first prior old 0", "first after old 0 new 5"])
    }

    @Test("Rules 20, 23: pairs through key paths of the class and of its superclass are pairs of one key")
    func pairsThroughEitherClass() throws {
        let savings = Savings()
        listen(to: savings, \Savings.left, as: "left")
        savings.willChangeValue(for: \Savings.left)
        (savings as Account).willChangeValue(for: \Account.left)
        savings.foreign["left"] = 1
        savings.didChangeValue(for: \Savings.left)
        try log.expect(["left prior old 0"])
        (savings as Account).didChangeValue(for: \Account.left)
        try log.expect(["left after old 0 new 1"])
    }

    @Test("Rules 20c, 23: pairs of the object as a whole nest")
    func pairsOfTheWholeObject() throws {
        observations.observe(account, \.self, options: .prior) { [log] _, _, change in log.append(change.told) }
        account.willChangeValue(for: \.self)
        account.withChange(of: \.self) { account.name = "b" }
        account.limit = 1
        account.didChangeValue(for: \.self)
        try log.expect(["prior", "after"])
        account.name = "c"
        try log.expect(["prior", "after"])
    }

    @Test("Rules 23, 34: the arguments of a key path are compared under no lock")
    func argumentsAreComparedUnderNoLock() throws {
        final class Shelf: KeyValueObject {
            struct Index: Hashable {
                let number: Int
                let shelf: Shelf?
                static func == (left: Index, right: Index) -> Bool {
                    left.shelf?.withChange(of: \.self) {}
                    return left.number == right.number
                }
                func hash(into hasher: inout Hasher) { hasher.combine(number) }
            }
            subscript(index: Index) -> Int { index.number }
        }
        let shelf = Shelf()
        listen(to: shelf, \.[Shelf.Index(number: 1, shelf: shelf)], .new, as: "item")
        for _ in 1...2 { shelf.willChangeValue(for: \.[Shelf.Index(number: 1, shelf: shelf)]) }
        shelf.willChangeValue(for: \.[Shelf.Index(number: 2, shelf: shelf)])
        for _ in 1...2 { shelf.didChangeValue(for: \.[Shelf.Index(number: 1, shelf: shelf)]) }
        try log.expect(["item after new 1"])
        shelf.didChangeValue(for: \.[Shelf.Index(number: 2, shelf: shelf)])
    }

    @Test("Rule 26: an edit in several steps keeps the announced kind")
    func anEditInSeveralSteps() throws {
        listen(to: account, \.items, as: "items")
        listen(to: account, \.members, as: "members")
        account.withChange(.replacement, valuesAt: RangeSet(0..<1), of: \.items) {
            account.items.remove(at: 0)
            account.items.insert(7, at: 0)
        }
        try log.expect(["items prior replacement old [1] at 0..<1", "items after replacement old [1] new [7] at 0..<1"])
        account.members = [1, 2]
        _ = log.removeAll()
        account.withChange(of: \.members, withSetMutation: .intersect, using: [3]) {
            for member in account.members { account.members.remove(member) }
        }
        let told = log.removeAll().map { $0.prefix { $0 != "[" } }
        #expect(told == ["members prior removal old ", "members after removal old "])
    }
}
