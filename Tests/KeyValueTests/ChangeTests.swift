import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

@Suite struct ChangeTests {
    final class Clock: KeyValueObject {
        @Observed var hour = 0
        @Observed var minute = 0
        @Observed var zone: String?
    }
    final class View {}

    let clock = Clock()
    let view = View()
    let log = EventLog<String>()

    @Test("Rule 1: a handler runs before the setter returns, on the thread that makes the change")
    func aHandlerRunsBeforeTheSetterReturns() throws {
        let observations = ObservationController(observer: view)
        observations.observe(clock, \.hour, options: .new) { _, _, change in log.append(change.told) }
        log.append("before")
        clock.hour = 1
        log.append("between")
        clock.hour = 2
        log.append("behind")
        try log.expect(["before", "after new 1", "between", "after new 2", "behind"])
    }

    @Test("Rule 2: the after call finds the new value in place, and the prior call the old one")
    func theGetterGivesTheValueThatTheCallTells() throws {
        let observations = ObservationController(observer: view)
        observations.observe(clock, \.hour, options: [.old, .new, .prior]) { _, clock, change in
            log.append("\(change.told), the getter \(clock.hour)")
        }
        clock.hour = 7
        try log.expect(["prior old 0, the getter 0", "after old 0 new 7, the getter 7"])
    }

    @Test("Rule 2: a handler may write the other properties of the object and the property itself")
    func aHandlerMayReadAndWriteTheObject() throws {
        let observations = ObservationController(observer: view)
        observations.observe(clock, \.minute, options: [.old, .new]) { _, clock, change in
            log.append("minute \(change.told)")
            guard clock.minute >= 60 else { return }
            clock.hour += 1
            clock.minute -= 60
        }
        observations.observe(clock, \.hour, options: [.old, .new]) { _, _, change in log.append("hour \(change.told)") }
        clock.minute = 61
        #expect(clock.hour == 1)
        #expect(clock.minute == 1)
        try log.expect(["minute after old 0 new 61", "hour after old 0 new 1", "minute after old 61 new 1"])
    }

    @Test("Rule 2: the old value is the one that the getter gave at will-change, also if a prior handler writes")
    func theOldValueIsReadBeforeThePriorCalls() throws {
        let observations = ObservationController(observer: view)
        var hasWritten = false
        observations.observe(clock, \.hour, options: [.old, .new, .prior]) { _, clock, change in
            log.append(change.told)
            if hasWritten { return }
            hasWritten = true
            clock.hour = 5
        }
        clock.hour = 1
        #expect(clock.hour == 1)
        try log.expect(["prior old 0", "prior old 0", "after old 0 new 5", "after old 0 new 1"])
    }

    @Test("Rule 6: setting an equal value notifies")
    func settingAnEqualValueNotifies() throws {
        let observations = ObservationController(observer: view)
        observations.observe(clock, \.hour, options: [.old, .new]) { _, _, change in log.append(change.told) }
        clock.hour = 0
        clock.hour = 0
        try log.expect(["after old 0 new 0", "after old 0 new 0"])
    }

    @Test("Rule 7: each observer gets what its own options ask for, whatever the others ask for")
    func nothingLeaksBetweenObservers() throws {
        let observations = ObservationController(observer: view)
        for (tag, options) in [("none", []), ("all", [.old, .new, .prior]), ("new", .new), ("old", .old)]
            as [(ObservationTag, KeyValueObservingOptions)]
        {
            observations.observe(clock, \.hour, options: options, tag: tag) { _, _, change in log.append("\(tag): \(change.told)") }
        }
        clock.hour = 1
        try log.expect(["all: prior old 0", "none: after", "all: after old 0 new 1", "new: after new 1", "old: after old 0"])
    }

    @Test("Rule 7: a change that is kept does not change with its property")
    func aChangeOnceHandedOutNeverChanges() throws {
        let observations = ObservationController(observer: view)
        var kept: [KeyValueChange<Int>] = []
        observations.observe(clock, \.hour, options: [.old, .new, .prior]) { _, _, change in kept.append(change) }
        clock.hour = 1
        clock.hour = 2
        observations.unobserveAll()
        clock.hour = 3
        #expect(kept.map(\.told) == ["prior old 0", "after old 0 new 1", "prior old 1", "after old 1 new 2"])
    }

    @Test("Rule 9: changes made before registration are not reported, nor those after removal")
    func onlyChangesBetweenRegistrationAndRemovalAreReported() throws {
        let observations = ObservationController(observer: view)
        clock.hour = 1
        observations.observe(clock, \.hour, options: [.old, .new]) { _, _, change in log.append(change.told) }
        clock.hour = 2
        observations.unobserve(clock, \.hour)
        clock.hour = 3
        observations.observe(clock, \.hour, options: [.old, .new]) { _, _, change in log.append(change.told) }
        clock.hour = 4
        try log.expect(["after old 1 new 2", "after old 3 new 4"])
    }

    @Test("A change tells of its own property and object only")
    func otherPropertiesAndOtherObjectsAreSilent() throws {
        let observations = ObservationController(observer: view)
        let other = Clock()
        observations.observe(clock, \.hour, options: .new) { [clock] _, object, change in
            log.append(change.told)
            #expect(object === clock)
        }
        clock.minute = 1
        clock.zone = "UTC"
        other.hour = 9
        clock.hour = 3
        try log.expect(["after new 3"])
    }

    @Test("Rule 3: present nil is not absent")
    func anOptionalPropertyTellsPresentNil() throws {
        let observations = ObservationController(observer: view)
        var changes: [KeyValueChange<String?>] = []
        observations.observe(clock, \.zone, options: [.old, .new]) { _, _, change in changes.append(change) }
        observations.observe(clock, \.zone, options: [], tag: "none") { _, _, change in changes.append(change) }
        clock.zone = "UTC"
        clock.zone = nil
        #expect(
            changes == [
                KeyValueChange(newValue: .some("UTC"), oldValue: .some(nil)),
                KeyValueChange(),
                KeyValueChange(newValue: .some(nil), oldValue: .some("UTC")),
                KeyValueChange(),
            ])
    }
}
