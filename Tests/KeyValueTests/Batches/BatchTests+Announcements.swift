import SafeKVO
import SafeKVOTesting
import Testing

/// What is announced by hand in a batch, and batches inside announcements.
extension BatchTests {
    @Test("Rule 47: what is announced by hand belongs to the batch too")
    func announcementsByHand() throws {
        listen(to: model, \.foreign, [.old, .new, .prior], as: "foreign")
        withBatchedChanges {
            for value in 1...3 { model.withChange(of: \.foreign) { model.foreign = value } }
        }
        try log.expect(["foreign prior old 0", "foreign after old 0 new 3"])
    }

    @Test("Rules 5, 47: who was called before a change that was announced before the batch is not called so again")
    func aBatchInsideAPair() throws {
        let options: KeyValueObservingOptions = [.prior, .old, .new]
        listen(to: model, \.b, options, as: "b")
        listen(to: model, \.sum, options, as: "sum")
        model.willChangeValue(for: \.b)
        let announced = log.removeAll().sorted()
        #expect(announced == ["b prior old 0", "sum prior old 0"])
        withBatchedChanges {
            model.b = 1
            model.b = 2
        }
        model.didChangeValue(for: \.b)
        let heard = log.removeAll().sorted()
        #expect(heard == ["b after old 0 new 2", "sum after old 0 new 2"])
    }

    @Test("Rules 22, 47: of announcements that nest or overlap in a batch, the old value told is that before the first")
    func nestedAnnouncements() throws {
        listen(to: model, \.sum, as: "sum")
        withBatchedChanges {
            model.withChange(of: \.a) {
                model.a = 5
                model.b = 1
            }
        }
        withBatchedChanges {
            model.willChangeValue(for: \.a)
            model.foreign = 1
            model.willChangeValue(for: \.b)
            model.a = 6
            model.b = 2
            model.didChangeValue(for: \.a)
            model.didChangeValue(for: \.b)
        }
        withBatchedChanges {
            model.a = 7
            model.withChange(of: \.a) { model.a = 8 }
        }
        try log.expect(["sum after old 0 new 6", "sum after old 6 new 8", "sum after old 8 new 10"])
    }

    @Test("Rules 10, 22, 47: who registers inside an announcement in a batch hears of the value before the batch")
    func registeringInsideAnAnnouncement() throws {
        listen(to: model, \.sum, as: "early")
        withBatchedChanges {
            model.withChange(of: \.a) {
                model.a = 5
                listen(to: model, \.sum, as: "late", tag: "late")
                model.b = 1
            }
        }
        try log.expect(["early after old 0 new 6", "late after old 0 new 6"])
    }

    @Test("Rules 21, 47: what is assigned silently after an announced change takes nothing from what is told of that")
    func aSilentAssignmentAfterAnAnnouncedChange() throws {
        listen(to: model, \.byHand, as: "change")
        observations.observe(model, \.byHand, tag: "value") { [log] _, value in log.append("value \(value)") }
        withBatchedChanges {
            model.withChange(of: \.byHand) { model.byHand = 1 }
            model.byHand = 1
        }
        try log.expect(["value 0", "change after old 0 new 1", "value 1"])
    }

    @Test("Rule 47: a pair that ends behind the batch is told at its end")
    func aPairAroundABatch() throws {
        listen(to: model, \.foreign, as: "foreign")
        listen(to: model, \.a, as: "a")
        model.withChange(of: \.foreign) {
            withBatchedChanges {
                model.foreign = 1
                model.a = 1
            }
            log.append("behind the batch")
        }
        try log.expect(["a after old 0 new 1", "behind the batch", "foreign after old 0 new 1"])
    }
}
