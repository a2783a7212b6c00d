import Observation
import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Values without the present one, and pairs of an old and a new value.
@Suite struct ControllerPairsTests {
    let thermostat = Thermostat()
    let wall = Wall()

    final class Shelf: KeyValueObject {
        @Observed var books = ["a", "b"]
        @Observed var owner: String?
        var count: Int { books.count }
    }

    final class Shared: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var level = 0
    }

    final class Meter: Sendable {
        let log = EventLog<String>()
    }

    @Test("A value form without the present value tells each new one")
    func theValueFormLeavesOutThePresentValue() throws {
        wall.observations.observe(thermostat, \.degrees, initial: false) { wall, degrees in wall.log.append("\(degrees)") }
        try wall.log.expect([])
        thermostat.degrees = 1
        thermostat.degrees = 2
        try wall.log.expect(["1", "2"])
    }

    @Test("Without the present value, the first value is told in any case, also if equal values are left out")
    func theFirstValueIsToldInAnyCase() throws {
        wall.observations.observe(thermostat, \.degrees, initial: false, removing: .duplicates) { wall, degrees in
            wall.log.append("\(degrees)")
        }
        thermostat.degrees = 0
        thermostat.degrees = 0
        thermostat.degrees = 1
        try wall.log.expect(["0", "1"])
    }

    @Test("With a place, the present value is left out too")
    func thePresentValueIsLeftOutElsewhere() throws {
        let (shared, meter) = (Shared(), Meter())
        let observations = ObservationController(observer: meter)
        observations.observe(shared, \.level, initial: false, on: .anyThread { meter, level in meter.log.append("\(level)") })
        shared.level = 1
        try meter.log.expect(["1"])
    }

    @Test("A sequence of values begins with the next one")
    func aSequenceLeavesOutThePresentValue() async {
        var values = wall.observations.values(of: thermostat, \.degrees, initial: false).makeAsyncIterator()
        thermostat.degrees = 1
        #expect(await values.next() == 1)
    }

    @Test("A pair is the value that was handed over last and the new one")
    func aPairIsTheOldAndTheNewValue() throws {
        let result = wall.observations.onChange(of: thermostat, \.degrees) { wall, old, new in wall.log.append("\(old) \(new)") }
        #expect(result == .added)
        try wall.log.expect([])
        thermostat.degrees = 1
        thermostat.degrees = 1
        thermostat.degrees = 5
        try wall.log.expect(["0 1", "1 1", "1 5"])
        // Each value is a delivery, the present one too.
        #expect(wall.observations.counters.delivered == 4)
    }

    @Test("Pairs leave out a change to an equal value if they are asked to")
    func pairsLeaveOutEqualValues() throws {
        wall.observations.onChange(of: thermostat, \.degrees, removing: .duplicates) { wall, old, new in wall.log.append("\(old) \(new)") }
        thermostat.degrees = 0
        thermostat.degrees = 1
        thermostat.degrees = 1
        thermostat.degrees = 2
        try wall.log.expect(["0 1", "1 2"])
    }

    @Test("Pairs of collections are whole, of computed keys and optionals as well, in batches too")
    func pairsAreWhole() throws {
        let shelf = Shelf()
        wall.observations.onChange(of: shelf, \.books) { wall, old, new in wall.log.append("\(old) \(new)") }
        wall.observations.onChange(of: shelf, \.count) { wall, old, new in wall.log.append("\(old) \(new)") }
        wall.observations.onChange(of: shelf, \.owner) { wall, old, new in wall.log.append("\(old ?? "nil") \(new ?? "nil")") }
        shelf.mutableArrayValue(for: \.books).append("c")
        try wall.log.expect([#"["a", "b"] ["a", "b", "c"]"#, "2 3"])
        shelf.owner = "Ann"
        shelf.owner = nil
        try wall.log.expect(["nil Ann", "Ann nil"])
        withBatchedChanges {
            shelf.books.removeAll()
            shelf.books.append("d")
        }
        try wall.log.expect([#"["a", "b", "c"] ["d"]"#, "3 1"])
    }

    @Test("Pairs follow each other without a gap, also if a handler makes the next change")
    func pairsFollowEachOther() throws {
        wall.observations.onChange(of: thermostat, \.degrees) { [thermostat] wall, old, new in
            wall.log.append("\(old) \(new)")
            if new < 3 { thermostat.degrees += 1 }
        }
        let other = Wall()
        other.observations.onChange(of: thermostat, \.degrees) { other, old, new in other.log.append("\(old) \(new)") }
        thermostat.degrees = 1
        try wall.log.expect(["0 1", "1 2", "2 3"])
        // What the first handler has replaced already is not told to the second one.
        try other.log.expect(["0 3"])
    }

    @Test("A pair form is de-duplicated with the other forms of a key path, and removed as they are")
    func aPairFormIsAnObservationOfTheKeyPath() throws {
        wall.observations.observe(thermostat, \.degrees, initial: false) { wall, degrees in wall.log.append("\(degrees)") }
        #expect(wall.observations.onChange(of: thermostat, \.degrees) { _, _, _ in } == .alreadyObserved)
        #expect(
            wall.observations.onChange(of: thermostat, \.degrees, tag: "pair") { wall, old, new in wall.log.append("\(old) \(new)") }
                == .added)
        thermostat.degrees = 1
        try wall.log.expect(["1", "0 1"])
        #expect(wall.observations.unobserve(thermostat, \.degrees, tag: "pair") == 1)
        thermostat.degrees = 2
        try wall.log.expect(["2"])
        let nothing: Thermostat? = nil
        #expect(wall.observations.onChange(of: nothing, \.degrees) { _, _, _ in } == .refused(.noObject))
    }

    @Test("What a pair form keeps is released when it ends")
    func whatAPairFormKeepsIsReleased() {
        final class Box {}
        final class Crate: KeyValueObject {
            @Observed var box: Box? = Box()
        }
        let crate = Crate()
        weak let box = crate.box
        wall.observations.onChange(of: crate, \.box) { _, _, _ in }
        wall.observations.unobserve(crate, \.box)
        crate.box = nil
        #expect(box == nil)
    }

    actor Gardener {
        let thermostat = Thermostat()
        var pairs: [[Int]] = []
        private lazy var observations = ObservationController(observer: self)

        func watch() {
            observations.onChange(of: thermostat, \.degrees) { gardener, old, new in gardener.pairs.append([old, new]) }
            observations.observe(thermostat, \.degrees, initial: false, tag: "value") { gardener, new in gardener.pairs.append([new]) }
        }

        func heat() { thermostat.degrees += 1 }
    }

    @Test("An actor that observes what it owns is told pairs, isolated")
    func anActorIsToldPairs() async {
        let gardener = Gardener()
        await gardener.watch()
        await gardener.heat()
        await gardener.heat()
        #expect(await gardener.pairs == [[0, 1], [1], [1, 2], [2]])
    }
}

/// The same on the main actor.
@Suite @MainActor struct ControllerPairsOnMainActorTests {
    let wall = Wall()

    @Test("With a place, pairs are told there, in order")
    func pairsAreToldElsewhere() async throws {
        let (shared, meter) = (ControllerPairsTests.Shared(), ControllerPairsTests.Meter())
        let observations = ObservationController(observer: meter)
        observations.onChange(of: shared, \.level, on: .mainActor { meter, old, new in meter.log.append("\(old) \(new)") })
        shared.level = 1
        try meter.log.expect(["0 1"])
        await Task.detached { for level in 2...4 { shared.level = level } }.value
        await until { meter.log.events.count >= 3 }
        try meter.log.expect(["1 2", "2 3", "3 4"])
    }

    @Observable final class Model {
        var count = 0
    }

    @Test("An @Observable object is told in pairs, and without the present value")
    func anObservableObjectIsToldInPairs() async throws {
        let model = Model()
        wall.observations.onChange(of: model, \.count) { wall, old, new in wall.log.append("\(old) \(new)") }
        wall.observations.observe(model, \.count, initial: false, tag: "value") { wall, new in wall.log.append("\(new)") }
        model.count = 1
        await until { wall.log.events.count >= 2 }
        try wall.log.expect(["0 1", "1"])
    }

    @Test("A poll can leave out the present value")
    func aPollLeavesOutThePresentValue() async throws {
        final class File {
            var size = 0
        }
        let (file, clock) = (File(), SteppedClock())
        wall.observations.poll(file, \.size, every: .seconds(1), clock: clock, initial: false) { wall, size in wall.log.append("\(size)") }
        try await clock.waitForSleepers(1)
        try wall.log.expect([])
        file.size = 1
        clock.advance(by: .seconds(1))
        try await clock.waitForSleepers(1)
        try wall.log.expect(["1"])
    }
}
