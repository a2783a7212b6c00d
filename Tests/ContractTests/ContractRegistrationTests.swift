import SafeKVO
import SafeKVOTesting
import Testing

/// What adding and removing promise, whatever the source.
@Suite struct ContractRegistrationTests {
    let log = EventLog<String>()

    @Test("Rules 1 and 9: an observer hears what happens from its registration to its removal", arguments: ContractSource.all)
    func anObserverHearsWhatHappensWhileItIsRegistered(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        subject.cause(1)
        #expect(subject.observe(by: observer) == .added)
        subject.cause(2)
        log.append("2 was caused")
        subject.cause(3)
        #expect(subject.unobserve(by: observer) == 1)
        subject.cause(4)
        try log.expect(["a 2", "2 was caused", "a 3", "a ended: removed"])
    }

    @Test("Adding twice is one observation, the first", arguments: ContractSource.all)
    func addingTwiceIsOneObservation(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        #expect(subject.observe(by: observer, label: "first") == .added)
        #expect(subject.observe(by: observer, label: "second") == .alreadyObserved)
        subject.cause(1)
        #expect(observer.retaining.counters.ignoredAdds == 1)
        #expect(subject.unobserve(by: observer) == 1)
        subject.cause(2)
        try log.expect(["first 1", "first ended: removed"])
    }

    @Test("Removing twice does nothing and is counted", arguments: ContractSource.all)
    func removingTwiceDoesNothing(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        #expect(subject.unobserve(by: observer) == 0)
        subject.observe(by: observer)
        #expect(subject.unobserve(by: observer) == 1)
        #expect(subject.unobserve(by: observer) == 0)
        #expect(subject.unobserveAll(by: observer) == 0)
        #expect(observer.retaining.unobserveAll() == 0)
        #expect(observer.retaining.counters.ignoredRemoves == 4)
        try log.expect(["a ended: removed"])
    }

    @Test("Removing by one controller leaves the observation of another", arguments: ContractSource.all)
    func removingHarmsNobodyElse(source: ContractSource) throws {
        let subject = source.makeSubject()
        let (a, b) = (ContractObserver("a", log), ContractObserver("b", log))
        subject.observe(by: a)
        subject.observe(by: b)
        subject.unobserve(by: a)
        subject.unobserve(by: a)
        subject.cause(1)
        try log.expect(["a ended: removed", "b 1"])
    }

    @Test("Rule 48: tags keep observations of one thing apart", arguments: ContractSource.all)
    func tagsKeepObservationsApart(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        #expect(subject.observe(by: observer, label: "plain") == .added)
        #expect(subject.observe(by: observer, tag: "x", label: "x") == .added)
        #expect(subject.observe(by: observer, tag: "y", label: "y") == .added)
        #expect(subject.observe(by: observer, tag: "x", label: "other x") == .alreadyObserved)
        subject.cause(1)
        try log.expect(["plain 1", "x 1", "y 1"])
        #expect(subject.unobserve(by: observer, tag: "x") == 1)
        #expect(subject.unobserve(by: observer, tag: "x") == 0)
        subject.cause(2)
        try log.expect(["x ended: removed", "plain 2", "y 2"])
        #expect(subject.unobserve(by: observer) == 1)
        subject.cause(3)
        try log.expect(["plain ended: removed", "y 3"])
    }

    @Test("Removing the subject removes what is under every tag", arguments: ContractSource.all)
    func removingTheSubjectRemovesEveryTag(source: ContractSource) throws {
        let (subject, other) = (source.makeSubject(), source.makeSubject())
        let observer = ContractObserver("a", log)
        subject.observe(by: observer, label: "plain")
        subject.observe(by: observer, tag: "x", label: "x")
        other.observe(by: observer, label: "other")
        #expect(subject.unobserveAll(by: observer) == 2)
        subject.cause(1)
        other.cause(2)
        #expect(Set(log.events) == ["plain ended: removed", "x ended: removed", "other 2"])
        #expect(log.events.last == "other 2")
    }

    @Test("Rule 48: a replacement keeps the place in the order and silences the old handler", arguments: ContractSource.all)
    func aReplacementKeepsThePlace(source: ContractSource) throws {
        let subject = source.makeSubject()
        let (a, b, c) = (ContractObserver("a", log), ContractObserver("b", log), ContractObserver("c", log))
        subject.observe(by: a)
        subject.observe(by: b)
        subject.observe(by: c)
        #expect(subject.observe(by: b, ifAlreadyObserved: .replace, label: "new b") == .replaced)
        subject.cause(1)
        try log.expect(["b ended: replaced", "a 1", "new b 1", "c 1"])
        #expect(subject.observe(by: a, ifAlreadyObserved: .replace, label: "new a") == .replaced)
        #expect(subject.observe(by: c, ifAlreadyObserved: .replace, label: "new c") == .replaced)
        subject.cause(2)
        try log.expect(["a ended: replaced", "c ended: replaced", "new a 2", "new b 2", "new c 2"])
        #expect(subject.unobserve(by: b) == 1)
        try log.expect(["new b ended: removed"])
    }

    @Test("Replacing what is not observed adds it", arguments: ContractSource.all)
    func replacingNothingAdds(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        #expect(subject.observe(by: observer, ifAlreadyObserved: .replace) == .added)
        subject.cause(1)
        try log.expect(["a 1"])
    }

    @Test("Rule 48: a replacement in a delivery hears the next event, the old handler none", arguments: ContractSource.all)
    func aReplacementDuringADeliveryHearsTheNext(source: ContractSource) throws {
        let subject = source.makeSubject()
        let (a, b) = (ContractObserver("a", log), ContractObserver("b", log))
        subject.observe(by: a) { _, number in
            if number == 1 { subject.observe(by: b, ifAlreadyObserved: .replace, label: "new b") }
        }
        subject.observe(by: b)
        subject.cause(1)
        // Rule 10: the value of a derived key is evaluated for the controller of `b` when its new handler is there already.
        try log.expect(["a 1", "b ended: replaced"] + (source.isDerived ? ["new b 1"] : []))
        subject.cause(2)
        try log.expect(["a 2", "new b 2"])
    }

    @Test("Observing or removing no subject does nothing", arguments: ContractSource.all)
    func noSubjectIsNoOperation(source: ContractSource) {
        let observer = ContractObserver("a", log)
        let results = source.type.observeNothing(by: observer)
        #expect(results == (.refused(.noObject), 0, 0))
    }

    @Test("Invalidating removes everything for good", arguments: ContractSource.all)
    func invalidatingIsForGood(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        subject.observe(by: observer, label: "plain")
        #expect(observer.retaining.invalidate() == 1)
        #expect(observer.retaining.invalidate() == 0)
        #expect(subject.observe(by: observer) == .refused(.controllerInvalidated))
        #expect(subject.observe(by: observer, ifAlreadyObserved: .replace) == .refused(.controllerInvalidated))
        subject.cause(1)
        try log.expect(["plain ended: controllerInvalidated"])
    }

    @Test("Two controllers of one observer are two observations", arguments: ContractSource.all)
    func twoControllersAreTwoObservations(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        #expect(subject.observe(by: observer, retaining: true, label: "one") == .added)
        #expect(subject.observe(by: observer, retaining: false, label: "two") == .added)
        subject.cause(1)
        #expect(subject.unobserve(by: observer, retaining: true) == 1)
        subject.cause(2)
        try log.expect(["one 1", "two 1", "one ended: removed", "two 2"])
    }

    @Test("Calls made are counted, of living and of ended observations", arguments: ContractSource.all)
    func callsAreCounted(source: ContractSource) {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        subject.observe(by: observer)
        for number in 1...3 { subject.cause(number) }
        #expect(observer.retaining.counters == ObservationCounters(delivered: 3))
        subject.unobserve(by: observer)
        subject.cause(4)
        #expect(observer.retaining.counters == ObservationCounters(delivered: 3))
        subject.observe(by: observer)
        subject.cause(5)
        #expect(observer.retaining.counters == ObservationCounters(delivered: 4))
    }
}
