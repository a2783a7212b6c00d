import SafeKVO
import SafeKVOTesting
import Testing

/// Controllers that an observer has without making them.
@Suite struct AutomaticObserverTests {
    class Reader: AutomaticObserver {
        let observationSlot = ObservationSlot()
        let log: EventLog<String>

        init(_ log: EventLog<String>) {
            self.log = log
        }

        func observeInBaseClass(_ thermostat: Thermostat) -> ObservationResult {
            observations.observe(thermostat, \.degrees) { (reader: Reader, degrees: Int) in reader.log.append("base \(degrees)") }
        }
    }

    final class Subreader: Reader {
        func observeInSubclass(_ thermostat: Thermostat) -> ObservationResult {
            observations.observe(thermostat, \.degrees) { reader, degrees in reader.log.append("sub \(degrees)") }
        }
    }

    let thermostat = Thermostat()
    let log = EventLog<String>()
    let tracker = LifetimeTracker()

    @Test("Each use of the property is the same controller")
    func eachUseIsTheSameController() throws {
        let reader = Reader(log)
        #expect(reader.observeInBaseClass(thermostat) == .added)
        #expect(reader.observeInBaseClass(thermostat) == .alreadyObserved)
        thermostat.degrees = 1
        #expect(reader.observations.counters == ObservationCounters(delivered: 2, ignoredAdds: 1))
        #expect(reader.observations.unobserve(thermostat, \.degrees) == 1)
        thermostat.degrees = 2
        try log.expect(["base 0", "base 1"])
    }

    @Test("The controllers know their observer, and whether they retain")
    func theControllersKnowTheirObserver() {
        let reader = Reader(log)
        #expect(reader.observations.observer === reader)
        #expect(reader.observations.retainsObserved)
        #expect(reader.nonRetainingObservations.observer === reader)
        #expect(!reader.nonRetainingObservations.retainsObserved)
    }

    @Test("The two controllers are apart")
    func theTwoControllersAreApart() throws {
        let reader = Reader(log)
        reader.observations.observe(thermostat, \.degrees) { reader, degrees in reader.log.append("retaining \(degrees)") }
        let result = reader.nonRetainingObservations.observe(thermostat, \.degrees) { reader, degrees in
            reader.log.append("not retaining \(degrees)")
        }
        #expect(result == .added)
        thermostat.degrees = 1
        #expect(reader.observations.unobserveAll() == 1)
        thermostat.degrees = 2
        try log.expect(["retaining 0", "not retaining 0", "retaining 1", "not retaining 1", "not retaining 2"])
    }

    @Test("Rule 31: one of them retains what it observes, the other does not")
    func oneRetainsTheOtherDoesNot() {
        let reader = Reader(log)
        weak var retained: Thermostat?
        weak var notRetained: Thermostat?
        func observe() {
            let (one, other) = (Thermostat(), Thermostat())
            (retained, notRetained) = (one, other)
            reader.observations.observe(one, \.degrees) { _, _ in }
            reader.nonRetainingObservations.observe(other, \.degrees) { _, _ in }
        }
        observe()
        #expect(retained != nil)
        #expect(notRetained == nil)
        #expect(reader.nonRetainingObservations.unobserveAll() == 0)
        #expect(reader.observations.unobserveAll() == 1)
        #expect(retained == nil)
    }

    @Test("A subclass and its superclass share the controllers, whoever comes first", arguments: [false, true])
    func aSubclassSharesItsSuperclassesControllers(baseFirst: Bool) throws {
        let reader = Subreader(log)
        if baseFirst {
            #expect(reader.observeInBaseClass(thermostat) == .added)
            #expect(reader.observeInSubclass(thermostat) == .alreadyObserved)
        } else {
            #expect(reader.observeInSubclass(thermostat) == .added)
            #expect(reader.observeInBaseClass(thermostat) == .alreadyObserved)
        }
        thermostat.degrees = 1
        try log.expect(baseFirst ? ["base 0", "base 1"] : ["sub 0", "sub 1"])
        #expect(reader.observations.unobserveAll() == 1)
    }

    @Test("Rule 30: the observations end with the observer")
    func theObservationsEndWithTheObserver() throws {
        var reader: Reader? = tracker.track(Reader(log))
        for observations in [reader?.observations, reader?.nonRetainingObservations] {
            observations?.observe(
                thermostat, \.degrees, handler: { reader, degrees in reader.log.append("\(degrees)") },
                onTermination: { [log] in log.append("ended: \($0)") })
        }
        reader = nil
        try tracker.expectAllGone()
        thermostat.degrees = 1
        try log.expect(["0", "0", "ended: observerDeinitialized", "ended: observerDeinitialized"])
    }

    @Test("A controller that is kept longer than its observer refuses")
    func aControllerKeptLongerThanItsObserverRefuses() throws {
        var reader: Reader? = tracker.track(Reader(log))
        let observations = try #require(reader?.observations)
        reader = nil
        try tracker.expectAllGone()
        #expect(observations.observer == nil)
        #expect(observations.observe(thermostat, \.degrees) { _, _ in } == .refused(.observerDeinitialized))
        #expect(observations.unobserveAll() == 0)
    }

    @Test("Rule 35: in its deinit an observer may use its controllers, for the first time or again", arguments: [false, true])
    func controllersMayBeUsedInDeinit(usedBefore: Bool) throws {
        final class Farewell: AutomaticObserver {
            let observationSlot = ObservationSlot()
            let thermostat: Thermostat
            let log: EventLog<String>

            init(_ thermostat: Thermostat, _ log: EventLog<String>) {
                self.thermostat = thermostat
                self.log = log
            }

            deinit {
                let result = observations.observe(thermostat, \.degrees) { farewell, degrees in farewell.log.append("called") }
                log.append("\(result)")
                log.append("\(nonRetainingObservations.observe(thermostat, \.degrees) { _, _ in })")
                thermostat.degrees += 1
                log.append("removed \(observations.unobserveAll())")
                log.append("observer \(observations.observer == nil ? "gone" : "there")")
            }
        }
        do {
            let farewell = Farewell(thermostat, log)
            if usedBefore { farewell.observations.observe(thermostat, \.room) { farewell, room in farewell.log.append(room) } }
        }
        try log.expect(
            (usedBefore ? ["hall"] : []) + [
                "refused(SafeKVO.ObservationResult.Refusal.observerDeinitialized)",
                "refused(SafeKVO.ObservationResult.Refusal.observerDeinitialized)",
                "removed \(usedBefore ? 1 : 0)", "observer gone",
            ])
        #expect(thermostat.degrees == 1)
    }

    @Test("An observer that never used its controllers ends quietly")
    func anObserverThatNeverUsedItsControllersEndsQuietly() throws {
        do { _ = tracker.track(Reader(log)) }
        try tracker.expectAllGone()
    }

    @Test("An invalidated automatic controller stays so")
    func anInvalidatedControllerStaysSo() {
        let reader = Reader(log)
        reader.observations.invalidate()
        #expect(reader.observeInBaseClass(thermostat) == .refused(.controllerInvalidated))
        #expect(reader.nonRetainingObservations.observe(thermostat, \.degrees) { _, _ in } == .added)
    }
}
