import SafeKVO
import SafeKVOTesting
import Testing

/// What a delivery promises, whatever the source.
@Suite struct ContractDeliveryTests {
    let log = EventLog<String>()

    @Test("Rule 8: observers are called in the order of registration", arguments: ContractSource.all)
    func observersAreCalledInTheOrderOfRegistration(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observers = (0..<20).map { ContractObserver("\($0)", log) }
        defer { withExtendedLifetime(observers) {} }
        for (index, observer) in observers.enumerated() { subject.observe(by: observer, retaining: index.isMultiple(of: 3)) }
        subject.cause(1)
        try log.expect((0..<20).map { "\($0) 1" })
        for index in stride(from: 0, to: 20, by: 2) { subject.unobserve(by: observers[index], retaining: index.isMultiple(of: 3)) }
        subject.observe(by: observers[0])
        log.removeAll()
        subject.cause(2)
        try log.expect(stride(from: 1, to: 20, by: 2).map { "\($0) 2" } + ["0 2"])
    }

    @Test("Rule 9: an observer that is added during a delivery hears the next event", arguments: ContractSource.all)
    func anObserverAddedDuringADeliveryHearsTheNext(source: ContractSource) throws {
        let subject = source.makeSubject()
        let (a, b) = (ContractObserver("a", log), ContractObserver("b", log))
        subject.observe(by: a) { _, _ in subject.observe(by: b) }
        subject.cause(1)
        try log.expect(["a 1"])
        subject.cause(2)
        try log.expect(["a 2", "b 2"])
    }

    @Test("Rule 9: an observer that is removed during a delivery is not called later in it", arguments: ContractSource.all)
    func anObserverRemovedDuringADeliveryIsNotCalled(source: ContractSource) throws {
        let subject = source.makeSubject()
        let (a, b, c, d) = (
            ContractObserver("a", log), ContractObserver("b", log), ContractObserver("c", log), ContractObserver("d", log)
        )
        subject.observe(by: a)
        subject.observe(by: b) { _, _ in
            subject.unobserve(by: c)
            subject.unobserve(by: a)
        }
        subject.observe(by: c)
        subject.observe(by: d)
        subject.cause(1)
        try log.expect(["a 1", "b 1", "c ended: removed", "a ended: removed", "d 1"])
        subject.cause(2)
        try log.expect(["b 2", "d 2"])
    }

    @Test("Rule 9: an observer may remove itself and its neighbours", arguments: ContractSource.all)
    func anObserverMayRemoveItselfAndItsNeighbours(source: ContractSource) throws {
        let subject = source.makeSubject()
        let (a, b, c, d) = (
            ContractObserver("a", log), ContractObserver("b", log), ContractObserver("c", log), ContractObserver("d", log)
        )
        subject.observe(by: a)
        subject.observe(by: b) { b, _ in
            for neighbour in [a, b, c] { subject.unobserve(by: neighbour) }
            log.append("b goes on")
        }
        subject.observe(by: c)
        subject.observe(by: d)
        subject.cause(1)
        try log.expect(["a 1", "b 1", "a ended: removed", "c ended: removed", "b goes on", "b ended: removed", "d 1"])
        subject.cause(2)
        try log.expect(["d 2"])
    }

    @Test("An observer that is removed and added again in a delivery hears the next event, last", arguments: ContractSource.all)
    func anObserverAddedAgainComesLast(source: ContractSource) throws {
        let subject = source.makeSubject()
        let (a, b, c) = (ContractObserver("a", log), ContractObserver("b", log), ContractObserver("c", log))
        subject.observe(by: a) { _, number in
            guard number == 1 else { return }
            subject.unobserve(by: b)
            subject.observe(by: b, label: "b again")
        }
        subject.observe(by: b)
        subject.observe(by: c)
        subject.cause(1)
        try log.expect(["a 1", "b ended: removed", "c 1"])
        subject.cause(2)
        try log.expect(["a 2", "c 2", "b again 2"])
    }

    @Test("Rule 11: an event caused in a handler is delivered at once, nested", arguments: ContractSource.everyEvent)
    func eventsInHandlersAreNested(source: ContractSource) {
        let calls = callsOfNestedEvents(source)
        // Rules 8, 33: the value of a derived key is read anew for each controller.
        let (second, first) = source.isDerived ? ("b 3", "b 3") : ("b 2", "b 1")
        #expect(calls == ["a 1", "a 2", "a 3", "b 3", "a 2 ends", second, "a 1 ends", first])
    }

    @Test("Rules 11 and 11a: values found in handlers are delivered at once, and overtake older ones", arguments: ContractSource.polls)
    func valuesInHandlersOvertake(source: ContractSource) {
        let calls = callsOfNestedEvents(source)
        #expect(calls == ["a 1", "a 2", "a 3", "b 3", "a 2 ends", "a 1 ends"])
    }

    private func callsOfNestedEvents(_ source: ContractSource) -> [String] {
        let subject = source.makeSubject()
        let (a, b) = (ContractObserver("a", log), ContractObserver("b", log))
        subject.observe(by: a) { _, number in
            guard number < 3 else { return }
            subject.cause(number + 1)
            log.append("a \(number) ends")
        }
        subject.observe(by: b)
        subject.cause(1)
        return log.removeAll()
    }

    @Test("Rules 9 and 11: an observer added in a delivery hears an event nested in it", arguments: ContractSource.all)
    func anObserverAddedInADeliveryHearsANestedEvent(source: ContractSource) throws {
        let subject = source.makeSubject()
        let (a, b) = (ContractObserver("a", log), ContractObserver("b", log))
        subject.observe(by: a) { _, number in
            guard number == 1 else { return }
            subject.observe(by: b)
            subject.cause(2)
        }
        subject.cause(1)
        try log.expect(["a 1", "a 2", "b 2"])
    }

    @Test("Removing everything in a handler silences the rest of the delivery", arguments: ContractSource.all)
    func removingEverythingInAHandlerSilencesTheRest(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        for tag in ["1", "2", "3"] {
            subject.observe(by: observer, tag: ObservationTag(tag), label: tag) { [log] observer, _ in
                log.append("removed \(observer.retaining.unobserveAll())")
            }
        }
        subject.cause(7)
        let history = log.removeAll()
        #expect(history.first == "1 7")
        #expect(history.filter { $0.hasSuffix(" 7") } == ["1 7"])
        #expect(history.contains("removed 3"))
        #expect(history.last == "1 ended: removed")
        #expect(history.count == 5)
        subject.cause(8)
        try log.expect([])
    }

    @Test("Invalidating in a handler silences the rest of the delivery", arguments: ContractSource.all)
    func invalidatingInAHandlerSilencesTheRest(source: ContractSource) throws {
        let subject = source.makeSubject()
        let (a, b) = (ContractObserver("a", log), ContractObserver("b", log))
        subject.observe(by: a) { _, _ in b.retaining.invalidate() }
        subject.observe(by: b)
        subject.cause(1)
        try log.expect(["a 1", "b ended: controllerInvalidated"])
    }

    @Test(
        "Rule 49: onTermination comes once, after the last call, also when a handler ends itself in nested events",
        arguments: ContractSource.all)
    func onEndComesAfterTheLastCall(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        subject.observe(by: observer) { observer, number in
            if number < 3 { subject.cause(number + 1) } else { subject.unobserve(by: observer) }
            log.append("a \(number) ends")
        }
        subject.cause(1)
        try log.expect(["a 1", "a 2", "a 3", "a 3 ends", "a 2 ends", "a 1 ends", "a ended: removed"])
        #expect(observer.retaining.unobserveAll() == 0)
        try log.expect([])
    }
}
