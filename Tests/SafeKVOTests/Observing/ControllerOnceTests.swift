import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Observations that end themselves, and values that are waited for.
@Suite struct ControllerOnceTests {
    let thermostat = Thermostat()
    let wall = Wall()

    final class Gauge: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var level = 0
    }

    final class Reader: Sendable {
        let log = EventLog<String>()
    }

    @Test("Once: the handler is called with the first value that satisfies the condition, and never again")
    func theHandlerIsCalledOnce() throws {
        let result = wall.observations.observeOnce(thermostat, \.degrees, where: { $0 > 5 }) { wall, degrees in
            wall.log.append("\(degrees)")
        } onTermination: { [log = wall.log] reason in
            log.append("\(reason)")
        }
        #expect(result == .added)
        thermostat.degrees = 5
        try wall.log.expect([])
        #expect(wall.observations.observations.count == 1)
        thermostat.degrees = 6
        thermostat.degrees = 7
        try wall.log.expect(["6", "removed"])
        #expect(wall.observations.observations.isEmpty)
        #expect(wall.observations.unobserve(thermostat, \.degrees) == 0)
    }

    @Test("Once: the present value counts, unless it is left out")
    func thePresentValueCounts() throws {
        wall.observations.observeOnce(thermostat, \.degrees, where: { $0 == 0 }) { wall, degrees in wall.log.append("\(degrees)") }
        try wall.log.expect(["0"])
        wall.observations.observeOnce(thermostat, \.degrees, initial: false, where: { _ in true }) { wall, degrees in
            wall.log.append("\(degrees)")
        }
        try wall.log.expect([])
        thermostat.degrees = 1
        thermostat.degrees = 2
        try wall.log.expect(["1"])
    }

    @Test("Once: a change that the handler makes does not call it again")
    func theHandlerMayMakeAChange() throws {
        wall.observations.observeOnce(thermostat, \.degrees, where: { $0 > 0 }) { [thermostat] wall, degrees in
            thermostat.degrees += 1
            wall.log.append("\(degrees), then \(thermostat.degrees)")
        }
        thermostat.degrees = 1
        try wall.log.expect(["1, then 2"])
    }

    @Test("Once: a condition that ends the observation is the last that is heard of it")
    func theConditionMayEndTheObservation() throws {
        wall.observations.observeOnce(
            thermostat, \.degrees, initial: false,
            where: { [wall, thermostat] _ in
                wall.observations.unobserve(thermostat)
                return true
            }
        ) { wall, _ in wall.log.append("never") }
        thermostat.degrees = 1
        wall.observations.observe(
            thermostat, \.degrees, initial: false,
            until: { [wall, thermostat] _ in
                wall.observations.unobserve(thermostat)
                return false
            }
        ) { wall, _ in wall.log.append("never") }
        thermostat.degrees = 2
        try wall.log.expect([])
    }

    @Test("Until: each value is told up to the one that satisfies the condition")
    func valuesAreToldUntilTheCondition() throws {
        wall.observations.observe(thermostat, \.degrees, until: { $0 > 1 }) { wall, degrees in
            wall.log.append("\(degrees)")
        } onTermination: { [log = wall.log] reason in
            log.append("\(reason)")
        }
        thermostat.degrees = 1
        thermostat.degrees = 2
        thermostat.degrees = 3
        try wall.log.expect(["0", "1", "2", "removed"])
    }

    @Test("What ends itself is de-duplicated, removed and kept apart by a tag as everything else")
    func itIsAnObservationOfTheKeyPath() throws {
        #expect(wall.observations.observeOnce(thermostat, \.degrees, where: { $0 > 5 }) { _, _ in } == .added)
        #expect(wall.observations.observeOnce(thermostat, \.degrees, where: { $0 > 5 }) { _, _ in } == .alreadyObserved)
        #expect(wall.observations.observe(thermostat, \.degrees, until: { $0 > 5 }, tag: "t") { _, _ in } == .added)
        #expect(
            wall.observations.observeOnce(thermostat, \.degrees, where: { _ in false }, tag: "t", ifAlreadyObserved: .replace) { _, _ in }
                == .replaced)
        #expect(wall.observations.unobserve(thermostat, \.degrees) == 1)
        #expect(wall.observations.unobserve(thermostat) == 1)
        let nothing: Thermostat? = nil
        #expect(wall.observations.observeOnce(nothing, \.degrees, where: { _ in true }) { _, _ in } == .refused(.noObject))
    }

    @Test("What a handler that is called once captures is released when it has been called")
    func whatItCapturesIsReleased() throws {
        let tracker = LifetimeTracker()
        func register() {
            let box = tracker.track(Wall())
            wall.observations.observeOnce(thermostat, \.degrees, where: { [box] degrees in box.log.events.isEmpty && degrees > 0 }) {
                _, _ in
                box.log.append("called")
            }
        }
        register()
        thermostat.degrees = 1
        try tracker.expectAllGone()
    }

    @Test("Once: of threads that make the change together, one calls the handler")
    func threadsCallTheHandlerOnce() async throws {
        let (gauge, reader) = (Gauge(), Reader())
        let observations = ObservationController(observer: reader)
        for round in 1...50 {
            observations.observeOnce(
                gauge, \.level, where: { $0 >= round * 10 }, on: .anyThread { reader, _ in reader.log.append("called") })
            async let first: Void = Threads.run { gauge.level = round * 10 }
            async let second: Void = Threads.run { gauge.level = round * 10 + 1 }
            _ = await (first, second)
            try reader.log.expect(["called"])
        }
    }
}

/// Values that are waited for.
@MainActor @Suite struct AwaitedValueTests {
    typealias Gauge = ControllerOnceTests.Gauge
    typealias Reader = ControllerOnceTests.Reader

    let gauge = Gauge()
    let reader = Reader()
    let observations: ObservationController<Reader>

    init() { observations = ObservationController(observer: reader, retainsObserved: false) }

    /// Waits until somebody observes the gauge.
    private func observed(_ gauge: Gauge) async {
        await until { ObservationDiagnostics.observations(of: gauge).count == 1 }
    }

    @Test("The present value is returned at once if it satisfies the condition")
    func thePresentValueIsReturned() async throws {
        #expect(try await observations.value(of: gauge, \.level) { $0 == 0 } == 0)
        #expect(observations.observations.isEmpty)
    }

    @Test("The first value that satisfies the condition is returned, and the observation has ended")
    func theFirstValueIsReturned() async throws {
        let task = Task { [gauge] in try await observations.value(of: gauge, \.level, initial: false) { $0 > 5 } }
        await observed(gauge)
        for level in 1...9 { gauge.level = level }
        #expect(try await task.value == 6)
        #expect(observations.observations.isEmpty)
    }

    @Test("The end of the observation is thrown, with its reason", arguments: ["object", "removal", "controller"])
    func theEndIsThrown(of whom: String) async {
        var gauge: Gauge? = Gauge()
        let task = Task { [weak gauge] in try await observations.value(of: gauge, \.level) { $0 > 5 } }
        await until { observations.observations.count == 1 }
        switch whom {
        case "object": gauge = nil
        case "removal": observations.unobserveAll()
        default: observations.invalidate()
        }
        let reason: ObservationEndReason = whom == "object" ? .objectDeinitialized : whom == "removal" ? .removed : .controllerInvalidated
        await #expect(throws: ObservationEndedError(reason: reason)) { try await task.value }
        withExtendedLifetime(gauge) {}
    }

    @Test("A value of nothing, and of a controller that has been invalidated, is an error")
    func aValueOfNothingIsAnError() async {
        let nothing: Gauge? = nil
        await #expect(throws: ObservationEndedError(reason: .objectDeinitialized)) {
            try await observations.value(of: nothing, \.level) { _ in true }
        }
        observations.invalidate()
        await #expect(throws: ObservationEndedError(reason: .controllerInvalidated)) {
            try await observations.value(of: gauge, \.level) { _ in true }
        }
        #expect(
            "\(ObservationEndedError(reason: .removed))".hasPrefix(
                "`value(of:_:where:)` found no value before its observation ended: removed. "))
    }

    @Test("A task that is cancelled throws the error of cancellation, and observes no longer")
    func cancellationIsThrown() async {
        let task = Task { [gauge] in try await observations.value(of: gauge, \.level) { $0 > 5 } }
        await observed(gauge)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(observations.observations.isEmpty)
        gauge.level = 9
    }

    @Test("The condition is evaluated where the caller runs")
    @MainActor func theConditionIsEvaluatedWhereTheCallerRuns() async throws {
        var asked: [Int] = []
        let task = Task {
            try await observations.value(of: gauge, \.level) { level in
                MainActor.assertIsolated()
                return level > 1
            }
        }
        await observed(gauge)
        await Task.detached { [gauge] in for level in 1...3 { gauge.level = level } }.value
        #expect(try await task.value == 2)
        let last = try await observations.value(of: gauge, \.level) { level in
            asked.append(level)
            return true
        }
        #expect(asked == [last])
    }

    @Test("Once: with a place, the handler is called there")
    @MainActor func theHandlerIsCalledElsewhere() async throws {
        let (gauge, reader) = (Gauge(), Reader())
        let observations = ObservationController(observer: reader)
        observations.observeOnce(
            gauge, \.level, where: { $0 > 1 },
            on: .mainActor { reader, level in
                MainActor.assertIsolated()
                reader.log.append("\(level)")
            })
        await Task.detached { for level in 1...5 { gauge.level = level } }.value
        await until { !reader.log.events.isEmpty && observations.observations.isEmpty }
        try reader.log.expect(["2"])
    }
}
