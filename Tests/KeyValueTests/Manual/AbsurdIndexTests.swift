import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Indexes of which no arithmetic can be done.
@Suite struct AbsurdIndexTests {
    final class Model: KeyValueObject {
        @Observed var items = [1, 2, 3]
        @Observed var slice: ArraySlice<Int> = [0, 1, 2, 3][1...]
    }
    final class Observer {}

    static let indexes = [
        RangeSet(0..<Int.max), RangeSet(Int.min..<Int.max), RangeSet(Int.min..<0), RangeSet([Int.min..<0, 5..<Int.max]),
        RangeSet(Int.max - 1..<Int.max), RangeSet(Int.min..<Int.min + 1),
    ]
    static let kinds: [KeyValueChangeKind] = [.insertion, .removal, .replacement]

    @Test("Rule 26: an announcement of absurd indexes is told as a setting and warned of once", arguments: indexes.indices, kinds.indices)
    func anAnnouncementOfAbsurdIndexes(index: Int, kind: Int) async {
        // In a process of its own, since a trap would end this one.
        await #expect(processExitsWith: .success) { [index, kind] in
            try AbsurdIndexTests.announce(AbsurdIndexTests.kinds[kind], AbsurdIndexTests.indexes[index])
        }
    }

    fileprivate static func announce(_ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>) throws {
        let (model, observer, log, warnings) = (Model(), Observer(), EventLog<String>(), EventLog<String>())
        ObservationDiagnostics.warningHandler = { warnings.append("\($0.kind)") }
        let observations = ObservationController(observer: observer)
        observations.observe(model, \.items, options: [.prior, .old, .new]) { _, _, change in log.append(change.told) }
        observations.observe(model, \.slice, options: [.prior, .old, .new]) { _, _, change in log.append(change.told) }
        model.withChange(kind, valuesAt: indexes, of: \.items) { model.items = [4] }
        try log.expect(["prior old [1, 2, 3]", "after old [1, 2, 3] new [4]"])
        try warnings.expect(["unfulfilledAnnouncement"])
        model.withChange(kind, valuesAt: indexes, of: \.slice) { model.slice = [5] }
        try log.expect(["prior old [1, 2, 3]", "after old [1, 2, 3] new [5]"])
        try warnings.expect(["unfulfilledAnnouncement"])
        // What was announced is over: the next change is told as ever.
        model.items = [6]
        try log.expect(["prior old [4]", "after old [4] new [6]"])
    }

    @Test("Rule 26: an assignment inside an announcement of absurdly many indexes is part of it", arguments: kinds.indices)
    func absurdlyManyIndexes(kind: Int) async {
        await #expect(processExitsWith: .success) { [kind] in
            let (model, observer, log) = (Model(), Observer(), EventLog<String>())
            ObservationDiagnostics.warningHandler = nil
            let observations = ObservationController(observer: observer)
            observations.observe(model, \.items, options: .new) { _, _, change in log.append(change.told) }
            try model.withChange(AbsurdIndexTests.kinds[kind], valuesAt: AbsurdIndexTests.indexes[1], of: \.items) {
                model.items = [4]
                try log.expect([])
            }
            try log.expect(["after new [4]"])
        }
    }

    @Test("The difference of a change with absurd indexes is nil", arguments: indexes.indices, kinds.indices)
    func theDifferenceOfAbsurdIndexes(index: Int, kind: Int) async {
        await #expect(processExitsWith: .success) { [index, kind] in
            for elements: [Int] in [[], [1], [1, 2]] {
                let change = KeyValueChange(
                    kind: AbsurdIndexTests.kinds[kind], newValue: elements, oldValue: elements, indexes: AbsurdIndexTests.indexes[index])
                let difference = change.difference
                if elements.count != 1 { #expect(difference == nil) }
            }
        }
    }
}
