import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Rule 6: equal values notify, unless an observation asks to have them left out.
@MainActor @Suite struct RemovingDuplicatesTests {
    final class Subject: KeyValueObject {
        @Observed var value = 0
        @AtomicObserved var atomic = 0
        @Observed var name: String?
        @Observed var items: [Int] = []
        @Observed var ratio = Double.nan
        var isLarge: Bool { value >= 10 }
    }
    final class Observer {
        var heard: [String] = []
        func valueDidChange(_ change: KeyValueChange<Int>) { heard.append(change.told) }
    }

    let subject = Subject()
    let observer = Observer()
    let log = EventLog<String>()

    @Test("Rule 6: an observation that removes duplicates is not told equal values, and others are")
    func equalValuesAreLeftOutForWhoAsks() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, tag: "all") { _, _, change in log.append("all \(change.told)") }
        observations.observe(subject, \.value, options: .new, removing: .duplicates, tag: "some") { _, _, change in
            log.append("some \(change.told)")
        }
        for value in [0, 1, 1, 2, 1] { subject.value = value }
        try log.expect([
            "all after new 0",
            "all after new 1", "some after new 1",
            "all after new 1",
            "all after new 2", "some after new 2",
            "all after new 1", "some after new 1",
        ])
    }

    @Test("Old and new value are compared even if neither is asked for, and stay absent")
    func whatIsComparedIsNotTherebyTold() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: [], removing: .duplicates) { _, _, change in log.append(change.told) }
        subject.value = 0
        subject.value = 1
        try log.expect(["after"])
    }

    @Test("The initial call is made in any case")
    func theInitialCallIsMadeInAnyCase() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, removing: .duplicates) { _, value in log.append("\(value)") }
        subject.value = 0
        subject.value = 1
        try log.expect(["0", "1"])
    }

    @Test("A change that is left out has no prior call either")
    func aChangeThatIsLeftOutHasNoPriorCall() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: [.prior, .old, .new], removing: .duplicates) { _, _, change in
            log.append("value \(change.told)")
        }
        observations.observe(subject, \.atomic, options: [.prior, .old, .new], removing: .duplicates) { _, _, change in
            log.append("atomic \(change.told)")
        }
        subject.value = 0
        subject.atomic = 0
        subject.value = 1
        subject.atomic = 1
        try log.expect(["value prior old 0", "value after old 0 new 1", "atomic prior old 0", "atomic after old 0 new 1"])
    }

    @Test("Rule 12: a mutation in place that changes nothing is left out; its prior call comes before anybody knows")
    func aMutationThatChangesNothingIsLeftOut() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.items, options: .new, removing: .duplicates) { _, _, change in log.append(change.told) }
        subject.items.removeAll()
        subject.items.append(1)
        subject.items.sort()
        try log.expect(["after new [1]"])
        observations.observe(subject, \.items, options: .prior, removing: .duplicates, tag: "prior") { _, _, change in
            log.append("prior form \(change.told)")
        }
        subject.items.sort()
        try log.expect(["prior form prior"])
    }

    @Test("Nil equals nil")
    func nilEqualsNil() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.name, options: [.old, .new], removing: .duplicates) { _, _, change in log.append(change.told) }
        subject.name = nil
        subject.name = "a"
        subject.name = "a"
        subject.name = nil
        try log.expect([#"after old nil new Optional("a")"#, #"after old Optional("a") new nil"#])
    }

    @Test("Equal is what the values call equal")
    func equalIsWhatTheValuesCallEqual() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.ratio, options: .new, removing: .duplicates) { _, _, change in log.append(change.told) }
        subject.ratio = .nan
        subject.ratio = 0
        subject.ratio = -0.0
        try log.expect(["after new nan", "after new 0.0"])
    }

    @Test("Equal may be what a closure says; it is called once for each call that may be left out")
    func equalMayBeWhatAClosureSays() throws {
        let observations = ObservationController(observer: observer)
        let sameTens = RemovingDuplicates<Int>.duplicates { old, new in
            log.append("\(old) and \(new)")
            return old / 10 == new / 10
        }
        observations.observe(subject, \.value, options: .new, removing: sameTens) { _, _, change in log.append(change.told) }
        subject.value = 9
        subject.value = 10
        subject.value = 19
        try log.expect(["0 and 9", "9 and 10", "after new 10", "10 and 19"])
    }

    @Test("Rule 13: a computed value that comes out the same is left out")
    func aComputedValueThatStaysTheSameIsLeftOut() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.isLarge, removing: .duplicates) { _, isLarge in log.append("\(isLarge)") }
        for value in [1, 10, 11, 2] { subject.value = value }
        try log.expect(["false", "true", "false"])
    }

    @Test("Methods of the observer are spared equal values too")
    func theMethodFormLeavesOutEqualValues() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, removing: .duplicates, action: Observer.valueDidChange(_:))
        subject.value = 0
        subject.value = 1
        #expect(observer.heard == ["after new 1"])
    }

    @Test("What is left out is not counted as delivered")
    func whatIsLeftOutIsNotDelivered() {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, removing: .duplicates) { _, _, _ in }
        for value in [0, 1, 1, 2] { subject.value = value }
        #expect(observations.counters.delivered == 2)
        observations.unobserveAll()
        #expect(observations.counters.delivered == 2)
    }

    @Test("Rule 33: the comparison goes at removal with the handler, whatever an observation is still in")
    func theComparisonIsReleasedAtRemoval() throws {
        final class Tolerance { var isEqual: Bool { false } }
        let tracker = LifetimeTracker()
        let (observations, remover) = (ObservationController(observer: observer), ObservationController(observer: log))
        var survivors: [Int] = []
        remover.observe(subject, \.value, options: []) { _, _, _ in
            survivors.append(tracker.survivors.count)
            observations.unobserveAll()
            survivors.append(tracker.survivors.count)
        }
        func observe() {
            let tolerance = tracker.track(Tolerance())
            observations.observe(subject, \.value, options: .new, removing: .duplicates { _, _ in tolerance.isEqual }) { _, _, _ in }
        }
        observe()
        subject.value = 1
        #expect(survivors == [1, 0])
        try tracker.expectAllGone()
    }
}
