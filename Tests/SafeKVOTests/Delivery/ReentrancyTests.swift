import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

@Suite struct ReentrancyTests {
    final class Subject: KeyValueObject {
        @Observed var value = 0
        @Observed var other = 0
    }
    final class Observer {}

    let subject = Subject()
    let observer = Observer()
    let log = EventLog<String>()

    @Test("Rule 11: a set in a handler is delivered at once, nested, and each call's values belong together")
    func aSetInAHandlerIsAChangeOfItsOwn() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: [.old, .new], tag: "a") { _, subject, change in
            log.append("a \(change.told)")
            if subject.value == 1 { subject.value = 2 }
            log.append("a is done with \(change.told)")
        }
        observations.observe(subject, \.value, options: [.old, .new], tag: "b") { _, _, change in log.append("b \(change.told)") }
        subject.value = 1
        // Rule 2: whoever comes later in the order hears the newer change first.
        try log.expect([
            "a after old 0 new 1",
            "a after old 1 new 2", "a is done with after old 1 new 2", "b after old 1 new 2",
            "a is done with after old 0 new 1", "b after old 0 new 1",
        ])
    }

    @Test("Rule 11: sets in prior handlers are nested too")
    func aSetInAPriorHandlerIsNested() throws {
        let observations = ObservationController(observer: observer)
        var sets = 0
        observations.observe(subject, \.value, options: [.prior, .new], tag: "a") { _, subject, change in
            log.append("a \(change.told)")
            guard change.isPrior, sets == 0 else { return }
            sets += 1
            subject.value = 5
        }
        observations.observe(subject, \.value, options: [.prior, .new], tag: "b") { _, _, change in log.append("b \(change.told)") }
        subject.value = 1
        #expect(subject.value == 1)
        try log.expect([
            "a prior",
            "a prior", "b prior", "a after new 5", "b after new 5",
            "b prior", "a after new 1", "b after new 1",
        ])
    }

    @Test("Rule 11: a deep recursion is delivered depth first")
    func aRecursionIsDeliveredDepthFirst() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: [.old, .new], tag: "down") { _, subject, change in
            if subject.value < 100 { subject.value += 1 }
        }
        var heard: [Int] = []
        observations.observe(subject, \.value, options: [.old, .new], tag: "log") { _, _, change in
            heard.append(change.newValue ?? -1)
            #expect(change.oldValue == change.newValue.map { $0 - 1 })
        }
        subject.value = 1
        #expect(heard == (1...100).reversed())
    }

    @Test("Rule 11: two properties that set each other end where the handlers stop setting")
    func twoPropertiesMaySetEachOther() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new) { _, subject, change in
            log.append("value \(change.told)")
            if subject.other != subject.value { subject.other = subject.value }
        }
        observations.observe(subject, \.other, options: .new) { _, subject, change in
            log.append("other \(change.told)")
            if subject.value != subject.other { subject.value = subject.other }
        }
        subject.value = 1
        subject.other = 2
        try log.expect(["value after new 1", "other after new 1", "other after new 2", "value after new 2"])
    }

    @Test("Rules 9, 11: an observer added in a handler hears the sets that follow in that handler")
    func anObserverAddedInAHandlerHearsItsLaterSets() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, tag: "a") { _, subject, change in
            guard change.newValue == 1 else { return }
            observations.observe(subject, \.value, options: [.old, .new], tag: "b") { _, _, change in log.append("b \(change.told)") }
            subject.value = 2
        }
        subject.value = 1
        try log.expect(["b after old 1 new 2"])
    }

    @Test("Rules 9, 11: an observer removed in a nested delivery does not hear the outer one")
    func anObserverRemovedInANestedDeliveryDoesNotHearTheOuterOne() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, tag: "a") { _, subject, change in
            if change.newValue == 1 { subject.value = 2 }
        }
        observations.observe(subject, \.value, options: .new, tag: "b") { _, subject, change in
            log.append("b \(change.told)")
            observations.unobserve(subject, \.value, tag: "b")
        }
        observations.observe(subject, \.value, options: .new, tag: "c") { _, _, change in log.append("c \(change.told)") }
        subject.value = 1
        try log.expect(["b after new 2", "c after new 2", "c after new 1"])
    }

    @Test("An observer replaced in a handler: the old handler gets no further call, the new one none of this change")
    func anObserverReplacedInAHandlerHearsTheNextChange() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, tag: "a") { _, subject, _ in
            log.append("a")
            observations.observe(subject, \.value, options: .new, tag: "b", ifAlreadyObserved: .replace) { _, _, _ in log.append("b new") }
        }
        observations.observe(subject, \.value, options: .new, tag: "b") { _, _, _ in log.append("b old") }
        observations.observe(subject, \.value, options: .new, tag: "c") { _, _, _ in log.append("c") }
        subject.value = 1
        try log.expect(["a", "c"])
        observations.unobserve(subject, \.value, tag: "a")
        subject.value = 2
        try log.expect(["b new", "c"])
    }

    @Test("Rule 38: a change that arrives during the initial call is delivered after it, before observe returns")
    func aChangeDuringTheInitialCallFollowsIt() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: [.initial, .old, .new]) { _, subject, change in
            log.append("\(change.told) begins")
            if change.isInitial {
                subject.value = 1
                subject.value = 2
            }
            log.append("\(change.told) ends")
        }
        log.append("observing")
        subject.value = 3
        try log.expect([
            "initial new 0 begins", "initial new 0 ends",
            "after old 0 new 1 begins", "after old 0 new 1 ends",
            "after old 1 new 2 begins", "after old 1 new 2 ends",
            "observing",
            "after old 2 new 3 begins", "after old 2 new 3 ends",
        ])
    }

    @Test("Rules 5, 38: a change that waits for the end of the initial call has its own values, and no call before it")
    func aWaitingChangeKeepsItsValues() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: [.initial, .prior, .old, .new]) { _, subject, change in
            log.append(change.told)
            if change.isInitial { subject.value = 1 }
        }
        try log.expect(["initial new 0", "after old 0 new 1"])
    }

    @Test("Rule 38: other observers hear a change made in an initial call at once")
    func othersHearAChangeMadeInAnInitialCallAtOnce() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, tag: "old") { _, _, change in log.append("old \(change.told)") }
        observations.observe(subject, \.value, tag: "new") { _, value in
            if value == 0 { subject.value = 1 }
            log.append("new \(value)")
        }
        try log.expect(["old after new 1", "new 0", "new 1"])
    }

    @Test("Rule 38: a change made while waiting changes are delivered comes after them")
    func aChangeMadeByAWaitingChangeComesLast() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value) { _, value in
            log.append("\(value) begins")
            if value < 3 { subject.value = value + 1 }
            log.append("\(value) ends")
        }
        try log.expect(["0 begins", "0 ends", "1 begins", "1 ends", "2 begins", "2 ends", "3 begins", "3 ends"])
    }

    /// An object whose values change it again when they go.
    final class Basket: KeyValueObject {
        final class Egg {
            let basket: Basket
            init(in basket: Basket) { self.basket = basket }
            deinit { basket.egg = nil }
        }
        @Observed var egg: Egg?
    }

    @Test("Rules 34, 38: a value that has waited for the end of the initial call may change the object when it goes")
    func valuesThatWaitedGoUnderNoLock() throws {
        let observations = ObservationController(observer: observer)
        let basket = Basket()
        observations.observe(basket, \.egg, options: [.initial, .new]) { [log] _, basket, change in
            log.append(change.newValue.map { $0 == nil ? "nil" : "egg" } ?? "absent")
            guard change.isInitial else { return }
            for _ in 0..<3 { basket.egg = Basket.Egg(in: basket) }
            basket.egg = nil
        }
        #expect(log.events.count { $0 == "egg" } == 3)
        #expect(log.events.last == "nil")
    }

    @Test("Rule 38: a handler that removes itself in the initial call gets nothing of what waits")
    func aRemovalInTheInitialCallDropsWhatWaits() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value) { _, value in
            log.append("\(value)")
            subject.value = 1
            observations.unobserve(subject, \.value)
        }
        subject.value = 2
        try log.expect(["0"])
    }

    @Test("Observing the same again in the initial call is a registration that exists already")
    func observingAgainInTheInitialCallIsIgnored() throws {
        let observations = ObservationController(observer: observer)
        var inner: ObservationResult?
        observations.observe(subject, \.value) { _, value in
            log.append("\(value)")
            inner = observations.observe(subject, \.value) { _, value in log.append("inner \(value)") }
        }
        #expect(inner == .alreadyObserved)
        try log.expect(["0"])
    }

    @Test("Observing and removing inside the handlers of another object harms nobody")
    func handlersMayObserveAndRemoveOnOtherObjects() throws {
        let observations = ObservationController(observer: observer)
        let others = (0..<3).map { _ in Subject() }
        observations.observe(subject, \.value) { _, index in
            for other in others { observations.unobserve(other) }
            observations.observe(others[index], \.value) { _, value in log.append("\(index): \(value)") }
        }
        subject.value = 2
        for (index, other) in others.enumerated() { other.value = index + 10 }
        try log.expect(["0: 0", "2: 0", "2: 12"])
    }
}
