import SafeKVO
import SafeKVOTesting
import Testing

/// The controller and its observer.
@Suite struct ControllerObserverTests {
    class Reader {
        let name: String

        init(_ name: String = "a") {
            self.name = name
        }
    }

    final class Subreader: Reader {}

    let thermostat = Thermostat()
    let log = EventLog<String>()
    let tracker = LifetimeTracker()

    @Test("Rule 30: the controller does not retain its observer, and says nil when it is gone")
    func theControllerDoesNotRetainItsObserver() throws {
        var reader: Reader? = tracker.track(Reader())
        let observations = try ObservationController(observer: #require(reader))
        #expect(observations.observer === reader)
        observations.observe(thermostat, \.degrees) { _, _ in }
        reader = nil
        try tracker.expectAllGone()
        #expect(observations.observer == nil)
    }

    @Test("Two controllers of one observer are independent")
    func twoControllersOfOneObserverAreIndependent() throws {
        let reader = Reader()
        let (one, two) = (ObservationController(observer: reader), ObservationController(observer: reader))
        one.observe(thermostat, \.degrees) { [log] _, degrees in log.append("one \(degrees)") }
        two.observe(thermostat, \.degrees) { [log] _, degrees in log.append("two \(degrees)") }
        thermostat.degrees = 1
        #expect(one.unobserve(thermostat, \.degrees) == 1)
        thermostat.degrees = 2
        #expect(one.invalidate() == 0)
        thermostat.degrees = 3
        #expect(two.unobserveAll() == 1)
        try log.expect(["one 0", "two 0", "one 1", "two 1", "two 2", "two 3"])
        #expect(one.counters == ObservationCounters(delivered: 2))
        #expect(two.counters == ObservationCounters(delivered: 4))
    }

    @Test("Both controllers of an observer lose it")
    func bothControllersLoseTheirObserver() throws {
        var reader: Reader? = Reader()
        let one = try ObservationController(observer: #require(reader))
        let two = try ObservationController(observer: #require(reader), retainsObserved: false)
        for observations in [one, two] {
            observations.observe(thermostat, \.degrees, options: .new) { [log] reader, _, _ in log.append(reader.name) }
        }
        thermostat.degrees = 1
        reader = nil
        thermostat.degrees = 2
        try log.expect(["a", "a"])
        #expect(one.observer == nil && two.observer == nil)
        #expect([one, two].map { $0.counters.dropped } == [1, 1])
    }

    @Test("A handler is given the observer itself, also through a controller of its superclass")
    func aHandlerIsGivenTheObserverItself() {
        let reader = Subreader()
        let observations = ObservationController<Reader>(observer: reader)
        var given: [Reader] = []
        observations.observe(thermostat, \.degrees) { reader, _ in given.append(reader) }
        observations.observe(thermostat, \.degrees, options: .initial, tag: "x") { reader, _, _ in given.append(reader) }
        #expect(given.count == 2)
        #expect(given.allSatisfy { $0 === reader })
    }

    @Test("One controller observes many objects, and one object has many observers")
    func manyObserveMany() throws {
        let thermostats = (0..<3).map { _ in Thermostat() }
        let readers = (0..<3).map { Reader("\($0)") }
        defer { withExtendedLifetime(readers) {} }
        let controllers = readers.map { ObservationController(observer: $0) }
        for (index, thermostat) in thermostats.enumerated() {
            for observations in controllers {
                observations.observe(thermostat, \.degrees, options: .new) { [log] reader, _, change in
                    log.append("\(reader.name) of \(index): \(describe(change))")
                }
            }
        }
        thermostats[1].degrees = 5
        try log.expect(["0 of 1: change new 5", "1 of 1: change new 5", "2 of 1: change new 5"])
        #expect(controllers.map { $0.unobserve(thermostats[1]) } == [1, 1, 1])
        thermostats[1].degrees = 6
        thermostats[2].degrees = 7
        try log.expect(["0 of 2: change new 7", "1 of 2: change new 7", "2 of 2: change new 7"])
        #expect(controllers.map { $0.unobserveAll() } == [2, 2, 2])
    }

    @Test("The observer may be the observed object's own part")
    func anObserverMayBePartOfTheObserved() throws {
        final class House: KeyValueObject {
            @Observed var number = 1
            var reader: Reader?
            var observations: ObservationController<Reader>?
        }
        do {
            let house = tracker.track(House())
            let reader = tracker.track(Reader())
            house.reader = reader
            let observations = ObservationController(observer: reader, retainsObserved: false)
            house.observations = observations
            observations.observe(house, \.number) { [log] reader, number in log.append("\(reader.name) \(number)") }
            house.number = 2
        }
        try tracker.expectAllGone()
        try log.expect(["a 1", "a 2"])
    }
}
