import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Announcements of what is not done.
extension ManualNotificationTests {
    struct Misfit: CustomTestStringConvertible {
        let testDescription: String
        let kind: KeyValueChangeKind
        let indexes: RangeSet<Int>
        let result: [Int]
        let prior: String

        init(_ name: String, _ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>, result: [Int], prior: String) {
            testDescription = name
            self.kind = kind
            self.indexes = indexes
            self.result = result
            self.prior = prior
        }
    }

    static let misfits = [
        Misfit("an insertion that is not carried out", .insertion, RangeSet(1..<2), result: [1, 2, 3], prior: "prior insertion at 1..<2"),
        Misfit(
            "an insertion of too few", .insertion, RangeSet([0..<1, 3..<5]), result: [0, 1, 2, 3],
            prior: "prior insertion at 0..<1 3..<5"),
        Misfit("an insertion that became a removal", .insertion, RangeSet(2..<4), result: [], prior: "prior insertion at 2..<4"),
        Misfit(
            "a removal that is not carried out", .removal, RangeSet(0..<2), result: [1, 2, 3],
            prior: "prior removal old [1, 2] at 0..<2"),
        Misfit(
            "a replacement of another number", .replacement, RangeSet(0..<2), result: [9],
            prior: "prior replacement old [1, 2] at 0..<2"),
        Misfit("a removal out of range", .removal, RangeSet(2..<4), result: [1], prior: "prior old [1, 2, 3]"),
        Misfit("a replacement out of range", .replacement, RangeSet(7..<8), result: [1, 2, 4], prior: "prior old [1, 2, 3]"),
        Misfit("negative indexes", .removal, RangeSet(-1..<1), result: [3], prior: "prior old [1, 2, 3]"),
    ]

    @Test("Rule 26: what was announced wrongly is told as a setting and warned of once", arguments: misfits.indices)
    func aMisfitIsToldAsASetting(index: Int) throws {
        let misfit = Self.misfits[index]
        let line = 10_000 + UInt(index)
        listen(to: account, \.items, as: "items")
        account.withChange(misfit.kind, valuesAt: misfit.indexes, of: \.items, line: line) { account.items = misfit.result }
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
        let start: UInt = #line
        account.withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.items) {}
        account.withChange(.removal, valuesAt: RangeSet(7..<8), of: \.items) {}
        let file = #fileID
        let messages = Warnings.messages(start...#line).map { $0.prefix { $0 != "," } }
        #expect(
            messages == [
                "The change of `Account.items` that was announced at \(file):\(start + 1) as insertion at \(RangeSet(0..<1)) was not carried out",
                "The change of `Account.items` that was announced at \(file):\(start + 2) as removal at \(RangeSet(7..<8)) does not fit the present value",
            ])
    }

    @Test("Rule 26: a set that did not change as announced is told as a setting and warned of")
    func aSetMisfit() throws {
        listen(to: account, \.members, as: "members")
        let start: UInt = #line
        account.withChange(of: \.members, withSetMutation: .union, using: [2]) { account.members = [] }
        #expect(Warnings.about(start...#line) == ["unfulfilledAnnouncement 1"])
        try log.expect(["members prior insertion", "members after old [1] new []"])
    }

    @Test("Rules 23, 26: a change that outlives its closure is the one that the closure announced")
    func aChangeThatOutlivesItsClosure() throws {
        listen(to: account, \.items, as: "items")
        account.withChange(.insertion, valuesAt: RangeSet(0..<1), of: \.items) {
            account.willChangeValue(for: \.items)
            account.items = [0, 1, 2, 3]
        }
        account.didChangeValue(for: \.items)
        try log.expect(["items prior insertion at 0..<1", "items after insertion new [0] at 0..<1"])
        let start: UInt = #line
        account.withChange(.removal, valuesAt: RangeSet(0..<1), of: \.items) { account.willChangeValue(for: \.items) }
        account.items = []
        account.didChangeValue(for: \.items)
        try log.expect(["items prior removal old [0] at 0..<1", "items after old [0, 1, 2, 3] new []"])
        #expect(Warnings.about(start...#line) == ["unfulfilledAnnouncement 1"])
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
}
