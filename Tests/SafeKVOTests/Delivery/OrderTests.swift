import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

@Suite struct OrderTests {
    final class Subject: KeyValueObject {
        @Observed var value = 0
        @Observed var other = 0
        var doubled: Int { value * 2 }
    }
    final class Observer: Sendable {}

    let subject = Subject()
    let observer = Observer()
    let log = EventLog<String>()

    @Test("Rules 8, 47: who observes for a long time is heard, in order, however many registrations of others come and go meanwhile")
    func oldObserversAreHeard() throws {
        let early = ObservationController(observer: observer)
        let late = ObservationController(observer: observer)
        early.observe(subject, \.value, options: .new) { [log] _, _, _ in log.append("value") }
        early.observe(subject, \.other, options: .new) { [log] _, _, _ in log.append("other") }
        // More than a number of 32 bits can count.
        for _ in 0..<64 {
            subject.countManyRegistrations()
            for _ in 0..<3 {
                late.observe(subject, \.value, options: .new) { [log] _, _, _ in log.append("late") }
                subject.value += 1
                try log.expect(["value", "late"])
                withBatchedChanges {
                    subject.other += 1
                    subject.value += 1
                }
                try log.expect(["value", "other", "late"])
                late.unobserveAll()
            }
        }
    }

    @Test("Rule 8: observers are called in the order in which they registered, before and after the change")
    func observersAreCalledInRegistrationOrderInBothPhases() throws {
        let controllers = ["a", "b", "c"].map { name in (name, ObservationController(observer: observer)) }
        defer { withExtendedLifetime(controllers) {} }
        for (name, controller) in controllers {
            controller.observe(subject, \.value, options: [.prior, .new]) { _, _, change in log.append("\(name) \(change.told)") }
        }
        subject.value = 1
        try log.expect(["a prior", "b prior", "c prior", "a after new 1", "b after new 1", "c after new 1"])
    }

    @Test("Rule 8: the order is that of registration, whatever forms and options the observers use")
    func formsAndOptionsDoNotChangeTheOrder() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: [], tag: "a") { _, _, _ in log.append("a") }
        observations.observe(subject, \.value, tag: "b") { _, value in log.append("b") }
        observations.observeEach(subject, [\.value], options: .old, tag: "c") { _, _, _ in log.append("c") }
        observations.observe(subject, \.value, options: .new, removing: .duplicates, tag: "d") { _, _, _ in log.append("d") }
        log.removeAll()
        subject.value = 1
        try log.expect(["a", "b", "c", "d"])
    }

    @Test("Rule 8: who is removed and registers again is called last")
    func whoRegistersAgainIsCalledLast() throws {
        let observations = ObservationController(observer: observer)
        func register(_ tag: ObservationTag) {
            observations.observe(subject, \.value, options: .new, tag: tag) { _, _, _ in log.append("\(tag)") }
        }
        for tag in ["a", "b", "c"] as [ObservationTag] { register(tag) }
        observations.unobserve(subject, \.value, tag: "a")
        register("a")
        subject.value = 1
        try log.expect(["b", "c", "a"])
    }

    @Test("Rule 48: a registration that is ignored keeps the first one and its place; one that replaces takes its place")
    func aReplacementTakesTheOldPlace() throws {
        let observations = ObservationController(observer: observer)
        for tag in ["a", "b", "c"] as [ObservationTag] {
            observations.observe(subject, \.value, options: .new, tag: tag) { _, _, _ in log.append("\(tag)") }
        }
        let ignored = observations.observe(subject, \.value, options: .new, tag: "b") { _, _, _ in log.append("b ignored") }
        subject.value = 1
        try log.expect(["a", "b", "c"])
        let replaced = observations.observe(subject, \.value, options: .new, tag: "b", ifAlreadyObserved: .replace) { _, _, _ in
            log.append("b new")
        }
        subject.value = 2
        try log.expect(["a", "b new", "c"])
        #expect(ignored == .alreadyObserved)
        #expect(replaced == .replaced)
    }

    @Test("Rule 9: an observer added in a handler does not hear the change under way", arguments: [false, true])
    func anObserverAddedDuringADeliveryDoesNotHearIt(inPriorPhase: Bool) throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: [.prior, .new], tag: "first") { _, subject, change in
            log.append("first \(change.told)")
            guard change.isPrior == inPriorPhase else { return }
            observations.observe(subject, \.value, options: [.prior, .new], tag: "added") { _, _, change in
                log.append("added \(change.told)")
            }
        }
        subject.value = 1
        try log.expect(["first prior", "first after new 1"])
        subject.value = 2
        try log.expect(["first prior", "added prior", "first after new 2", "added after new 2"])
    }

    @Test("Rule 9: an observer added in a handler is told the present value, if it asks, and then no more of this change")
    func anObserverAddedWithInitialHearsThePresentValueOnce() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, tag: "first") { _, _, _ in
            observations.observe(subject, \.value, options: [.initial, .new], tag: "added") { _, _, change in log.append(change.told) }
        }
        subject.value = 1
        try log.expect(["initial new 1"])
        subject.value = 2
        try log.expect(["after new 2"])
    }

    @Test("Rule 9: an observer that is removed while it waits is not called")
    func aRemovedObserverIsNotCalledLaterInTheSameDelivery() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, tag: "a") { _, subject, change in
            log.append("a")
            observations.unobserve(subject, \.value, tag: "b")
        }
        observations.observe(subject, \.value, options: .new, tag: "b") { _, _, _ in log.append("b") }
        observations.observe(subject, \.value, options: .new, tag: "c") { _, _, _ in log.append("c") }
        subject.value = 1
        try log.expect(["a", "c"])
    }

    @Test("Rule 9: who is removed in the prior phase before its prior call gets neither call")
    func whoseCallBeforeNeverCameGetsNoCallAfter() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: [.prior, .new], tag: "a") { _, subject, change in
            log.append("a \(change.told)")
            if change.isPrior { observations.unobserve(subject, \.value, tag: "b") }
        }
        observations.observe(subject, \.value, options: [.prior, .new], tag: "b") { _, _, change in log.append("b \(change.told)") }
        subject.value = 1
        try log.expect(["a prior", "a after new 1"])
    }

    @Test("Rule 10: who is removed between prior and after gets no after call")
    func whoIsRemovedBetweenThePhasesGetsNoCallAfter() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: [.prior, .new], tag: "a") { _, _, change in log.append("a \(change.told)") }
        observations.observe(subject, \.value, options: [.prior, .new], tag: "b") { _, subject, change in
            log.append("b \(change.told)")
            observations.unobserve(subject, \.value, tag: "a")
        }
        subject.value = 1
        try log.expect(["a prior", "b prior", "b after new 1"])
    }

    @Test("Rule 10: who is removed and registers again between prior and after does not hear the after of that change")
    func whoRegistersAgainBetweenThePhasesDoesNotHearTheChange() throws {
        let observations = ObservationController(observer: observer)
        func register() {
            observations.observe(subject, \.value, options: .new, tag: "a") { _, _, change in log.append("a \(change.told)") }
        }
        register()
        observations.observe(subject, \.value, options: .prior, tag: "b") { _, subject, change in
            guard change.isPrior else { return }
            observations.unobserve(subject, \.value, tag: "a")
            register()
        }
        subject.value = 1
        try log.expect([])
        observations.unobserve(subject, \.value, tag: "b")
        subject.value = 2
        try log.expect(["a after new 2"])
    }

    @Test("Rules 8, 10: of a computed property, who is added in a prior call is called by the evaluation, last")
    func aComputedPropertyKeepsTheOrder() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.doubled, options: [.prior, .new], tag: "a") { _, subject, change in
            log.append("a \(change.told)")
            observations.observe(subject, \.doubled, options: .new, tag: "added") { _, _, change in log.append("added \(change.told)") }
        }
        observations.observe(subject, \.doubled, options: .new, tag: "b") { _, _, change in log.append("b \(change.told)") }
        subject.value = 1
        try log.expect(["a prior", "a after new 2", "b after new 2", "added after new 2"])
        subject.value = 2
        try log.expect(["a prior", "a after new 4", "b after new 4", "added after new 4"])
    }

    @Test("A handler may remove its own observation, and everything else")
    func aHandlerMayRemoveEverything() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, tag: "a") { _, _, _ in
            log.append("a")
            #expect(observations.unobserveAll() == 3)
        }
        observations.observe(subject, \.value, options: .new, tag: "b") { _, _, _ in log.append("b") }
        observations.observe(subject, \.other, options: .new) { _, _, _ in log.append("other") }
        subject.value = 1
        subject.value = 2
        subject.other = 1
        try log.expect(["a"])
    }
}
