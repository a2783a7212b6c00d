import SafeKVO
import SafeKVOTesting
import Testing

/// What observing and removing answer, and what the counters say.
@Suite struct ControllerResultsTests {
    final class Reader {
        let log = EventLog<String>()
        private(set) lazy var observations = ObservationController(observer: self)
    }

    let thermostat = Thermostat()
    let reader = Reader()

    private func observe(
        _ thermostat: Thermostat?, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, label: String = "heard"
    ) -> ObservationResult {
        let log = reader.log
        return reader.observations.observe(
            thermostat, \.degrees, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            handler: { (reader, degrees: Int) in reader.log.append("\(label) \(degrees)") },
            onTermination: { log.append("\(label) ended: \($0)") })
    }

    @Test("Only an observation that this call made is observing")
    func onlyAnObservationThatThisCallMadeIsObserving() {
        #expect(ObservationResult.added.isObserving)
        #expect(ObservationResult.replaced.isObserving)
        #expect(!ObservationResult.alreadyObserved.isObserving)
        let refusals: [ObservationResult.Refusal] = [.noObject, .objectDeinitialized, .observerDeinitialized, .controllerInvalidated]
        #expect(!refusals.contains { ObservationResult.refused($0).isObserving })
    }

    @Test("A second registration is ignored, calls nobody and ends nothing")
    func aSecondRegistrationIsIgnored() throws {
        #expect(observe(thermostat, label: "first") == .added)
        #expect(observe(thermostat, label: "second") == .alreadyObserved)
        thermostat.degrees = 1
        try reader.log.expect(["first 0", "first 1"])
        #expect(reader.observations.counters == ObservationCounters(delivered: 2, ignoredAdds: 1))
    }

    @Test("Options, handler and form do not make another observation")
    func optionsDoNotMakeAnotherObservation() throws {
        reader.observations.observe(thermostat, \.degrees, options: []) { reader, _, change in reader.log.append(describe(change)) }
        let result = reader.observations.observe(thermostat, \.degrees, options: [.initial, .old]) { _, _, _ in }
        #expect(result == .alreadyObserved)
        #expect(observe(thermostat) == .alreadyObserved)
        thermostat.degrees = 1
        try reader.log.expect(["change"])
    }

    @Test("Rule 48: a replacement makes its initial call, the old handler's onTermination says replaced, before it")
    func aReplacementMakesItsInitialCall() throws {
        #expect(observe(thermostat, label: "first") == .added)
        #expect(observe(thermostat, ifAlreadyObserved: .replace, label: "second") == .replaced)
        thermostat.degrees = 1
        #expect(reader.observations.unobserve(thermostat, \.degrees) == 1)
        try reader.log.expect(["first 0", "first ended: replaced", "second 0", "second 1", "second ended: removed"])
        #expect(reader.observations.counters == ObservationCounters(delivered: 3))
    }

    @Test("Rule 48: a replacement in a handler is heard from with the next change")
    func aReplacementInItsOwnHandlerEndsTheOldOneAfterItsCall() throws {
        let log = reader.log
        var replaced = false
        reader.observations.observe(
            thermostat, \.degrees, options: .new,
            handler: { [self] reader, _, change in
                reader.log.append("first \(describe(change))")
                guard !replaced else { return }
                replaced = true
                #expect(observe(thermostat, ifAlreadyObserved: .replace, label: "second") == .replaced)
                reader.log.append("first goes on")
            }, onTermination: { log.append("first ended: \($0)") })
        thermostat.degrees = 1
        thermostat.degrees = 2
        try log.expect(["first change new 1", "second 1", "first goes on", "first ended: replaced", "second 2"])
    }

    @Test("Nothing is refused, and counts as nothing")
    func nothingIsRefused() throws {
        #expect(observe(nil) == .refused(.noObject))
        #expect(reader.observations.unobserve(Thermostat?.none) == 0)
        #expect(reader.observations.unobserve(Thermostat?.none, \.degrees) == 0)
        #expect(reader.observations.counters == ObservationCounters(ignoredRemoves: 2))
        try reader.log.expect([])
    }

    @Test("Rule 35: an object in its deinit is refused, and the result says so")
    func anObjectInItsDeinitIsRefused() throws {
        final class Farewell: KeyValueObject {
            @Observed var value = 0
            var onDeinit: (Farewell) -> Void = { _ in }

            deinit { onDeinit(self) }
        }
        var results: [ObservationResult] = []
        do {
            let farewell = Farewell()
            farewell.onDeinit = { [observations = reader.observations, log = reader.log] farewell in
                results.append(observations.observe(farewell, \.value) { _, value in log.append("\(value)") })
                results += observations.observeEach(farewell, [\.value], options: .initial) { _, _, _ in log.append("called") }
                farewell.value = 1
            }
        }
        #expect(results == [.refused(.objectDeinitialized), .refused(.objectDeinitialized)])
        #expect(reader.observations.unobserveAll() == 0)
        try reader.log.expect([])
    }

    @Test("A controller whose observer is gone refuses")
    func aControllerWhoseObserverIsGoneRefuses() {
        func make() -> ObservationController<Reader> {
            let reader = Reader()
            return ObservationController(observer: reader)
        }
        let observations = make()
        #expect(observations.observe(thermostat, \.degrees) { _, _ in } == .refused(.observerDeinitialized))
    }

    @Test("An invalidated controller refuses, and stays refusing")
    func anInvalidatedControllerRefuses() throws {
        #expect(observe(thermostat) == .added)
        #expect(reader.observations.invalidate() == 1)
        #expect(observe(thermostat) == .refused(.controllerInvalidated))
        #expect(reader.observations.invalidate() == 0)
        #expect(reader.observations.unobserveAll() == 0)
        #expect(observe(thermostat) == .refused(.controllerInvalidated))
        thermostat.degrees = 1
        try reader.log.expect(["heard 0", "heard ended: controllerInvalidated"])
    }

    @Test("Removing a key path removes one observation")
    func removingAKeyPathRemovesOne() throws {
        _ = observe(thermostat)
        reader.observations.observe(thermostat, \.room) { reader, room in reader.log.append(room) }
        #expect(reader.observations.unobserve(thermostat, \.degrees) == 1)
        #expect(reader.observations.unobserve(thermostat, \.degrees) == 0)
        thermostat.degrees = 1
        thermostat.room = "attic"
        try reader.log.expect(["heard 0", "hall", "heard ended: removed", "attic"])
        #expect(reader.observations.counters.ignoredRemoves == 1)
    }

    @Test("Removing an object removes its key paths and tags, and no other object's")
    func removingAnObjectRemovesItsKeyPathsAndTags() throws {
        let other = Thermostat()
        _ = observe(thermostat)
        _ = observe(thermostat, tag: "x")
        _ = observe(other, label: "other")
        reader.observations.observe(thermostat, \.room) { reader, room in reader.log.append(room) }
        reader.log.removeAll()
        #expect(reader.observations.unobserve(thermostat) == 3)
        #expect(reader.observations.unobserve(thermostat) == 0)
        #expect(reader.log.removeAll() == ["heard ended: removed", "heard ended: removed"])
        thermostat.degrees = 1
        thermostat.room = "attic"
        other.degrees = 2
        try reader.log.expect(["other 2"])
        #expect(reader.observations.unobserveAll() == 1)
        #expect(reader.observations.unobserveAll() == 0)
    }

    @Test("What was removed can be observed again")
    func whatWasRemovedCanBeObservedAgain() throws {
        for round in 1...3 {
            #expect(observe(thermostat) == .added)
            thermostat.degrees = round
            #expect(reader.observations.unobserve(thermostat, \.degrees) == 1)
        }
        try reader.log.expect([
            "heard 0", "heard 1", "heard ended: removed", "heard 1", "heard 2", "heard ended: removed", "heard 2", "heard 3",
            "heard ended: removed",
        ])
    }

    @Test("Rule 48: tags of equal names are one, others are not")
    func tagsOfEqualNamesAreOne() throws {
        #expect(observe(thermostat, tag: "\(1)x", label: "x") == .added)
        #expect(observe(thermostat, tag: ObservationTag("1x")) == .alreadyObserved)
        #expect(observe(thermostat, tag: ObservationTag(""), label: "empty") == .added)
        #expect(observe(thermostat, label: "none") == .added)
        #expect(reader.observations.unobserve(thermostat, \.degrees, tag: "") == 1)
        thermostat.degrees = 1
        try reader.log.expect(["x 0", "empty 0", "none 0", "empty ended: removed", "x 1", "none 1"])
    }

    @Test("A thousand observations are found, kept apart and removed")
    func aThousandObservationsAreKeptApart() {
        let thermostats = (0..<250).map { _ in Thermostat() }
        var heard: [ObjectIdentifier: Int] = [:]
        for thermostat in thermostats {
            for tag in ["a", "b", "c", "d"] {
                let result = reader.observations.observe(thermostat, \.degrees, options: .new, tag: ObservationTag(tag)) { _, object, _ in
                    heard[ObjectIdentifier(object), default: 0] += 1
                }
                #expect(result == .added)
            }
        }
        #expect(observe(thermostats[17], tag: "c") == .alreadyObserved)
        for index in stride(from: 0, to: 250, by: 2) { #expect(reader.observations.unobserve(thermostats[index]) == 4) }
        for index in stride(from: 1, to: 250, by: 4) {
            #expect(reader.observations.unobserve(thermostats[index], \.degrees, tag: "b") == 1)
        }
        for thermostat in thermostats { thermostat.degrees += 1 }
        let expected = thermostats.indices.map { $0.isMultiple(of: 2) ? nil : ($0 % 4 == 1 ? 3 : 4) }
        #expect(thermostats.map { heard[ObjectIdentifier($0)] } == expected)
        #expect(reader.observations.unobserveAll() == expected.reduce(0) { $0 + ($1 ?? 0) })
    }

    @Test("The counters of controllers add up")
    func countersAddUp() {
        let one = ObservationCounters(delivered: 1, dropped: 2, wrongIsolation: 3, overtaken: 6, ignoredAdds: 4, ignoredRemoves: 5)
        #expect(
            one + one == ObservationCounters(delivered: 2, dropped: 4, wrongIsolation: 6, overtaken: 12, ignoredAdds: 8, ignoredRemoves: 10)
        )
        #expect("\(one)" == "delivered 1, dropped 2, wrongIsolation 3, overtaken 6, ignored adds 4, ignored removes 5")
    }
}
