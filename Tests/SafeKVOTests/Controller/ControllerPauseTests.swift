import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Controllers that are paused and resumed.
@Suite struct ControllerPauseTests {
    let thermostat = Thermostat()
    let wall = Wall()

    final class Gauge: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var level = 0
    }

    final class Reader: Sendable {
        let log = EventLog<String>()
    }

    private func observeValues(tag: ObservationTag? = nil, _ name: String = "") {
        wall.observations.observe(thermostat, \.degrees, tag: tag) { wall, degrees in wall.log.append("\(name)\(degrees)") }
    }

    private func observeChanges(_ options: KeyValueObservingOptions = .new, tag: ObservationTag? = "changes") {
        wall.observations.observe(thermostat, \.degrees, options: options, tag: tag) { wall, _, change in wall.log.append(describe(change))
        }
    }

    @Test("A paused controller calls nobody; resumed, it hands over the present value, and changes from then on")
    func aPausedControllerCallsNobody() throws {
        observeValues()
        observeChanges()
        try wall.log.expect(["0"])
        #expect(!wall.observations.isPaused)
        wall.observations.pause()
        wall.observations.pause()
        #expect(wall.observations.isPaused)
        thermostat.degrees = 1
        thermostat.degrees = 2
        try wall.log.expect([])
        wall.observations.resume()
        #expect(!wall.observations.isPaused)
        try wall.log.expect(["2"])
        wall.observations.resume()
        thermostat.degrees = 3
        try wall.log.expect(["3", "change new 3"])
    }

    @Test("Only what was changed is handed over, whether the value is another one or not")
    func onlyWhatWasChangedIsHandedOver() throws {
        observeValues()
        wall.observations.observe(thermostat, \.room) { wall, room in wall.log.append(room) }
        wall.observations.observe(thermostat, \.degrees, removing: .duplicates, tag: "distinct") { wall, degrees in
            wall.log.append("distinct \(degrees)")
        }
        try wall.log.expect(["0", "hall", "distinct 0"])
        wall.observations.pause()
        wall.observations.resume()
        try wall.log.expect([])
        wall.observations.pause()
        thermostat.degrees = 1
        thermostat.degrees = 0
        wall.observations.resume()
        try wall.log.expect(["0"])
    }

    @Test("Other controllers are called as ever")
    func otherControllersAreCalled() throws {
        let other = Wall()
        other.observations.observe(thermostat, \.degrees, initial: false) { other, degrees in other.log.append("\(degrees)") }
        observeValues()
        wall.observations.pause()
        thermostat.degrees = 1
        try other.log.expect(["1"])
    }

    @Test("A pause inside a handler counts at once, also for observers still waiting; so does resuming")
    func aPauseInsideAHandlerCountsAtOnce() throws {
        let other = Wall()
        other.observations.observe(thermostat, \.degrees, initial: false) { [wall] other, degrees in
            if degrees == 1 { wall.observations.pause() }
            if degrees == 3 { wall.observations.resume() }
        }
        observeValues()
        observeChanges()
        wall.log.removeAll()
        thermostat.degrees = 1
        thermostat.degrees = 2
        try wall.log.expect([])
        thermostat.degrees = 3
        // The present value stands for the one that was left out, and for the change that is under way.
        try wall.log.expect(["3", "change new 3"])
    }

    @Test("A handler may pause and resume its own controller")
    func aHandlerMayPauseItsController() throws {
        wall.observations.observe(thermostat, \.degrees, initial: false) { [thermostat] wall, degrees in
            wall.log.append("\(degrees)")
            guard degrees == 1 else { return }
            wall.observations.pause()
            thermostat.degrees = 2
            thermostat.degrees = 3
            wall.observations.resume()
            wall.log.append("end of \(degrees)")
        }
        thermostat.degrees = 1
        try wall.log.expect(["1", "end of 1", "3"])
    }

    @Test("Ends are reported while the controller is paused, and nothing is heard of the observation after")
    func endsAreReported() throws {
        wall.observations.observe(thermostat, \.degrees) { wall, degrees in
            wall.log.append("\(degrees)")
        } onTermination: { [log = wall.log] reason in
            log.append("\(reason)")
        }
        wall.observations.pause()
        thermostat.degrees = 1
        #expect(wall.observations.unobserve(thermostat, \.degrees) == 1)
        try wall.log.expect(["0", "removed"])
        wall.observations.resume()
        try wall.log.expect([])
    }

    @Test("A change that was announced by a prior call is told to the end; the next one is not told at all")
    func aPriorCallIsFollowedByTheOther() throws {
        wall.observations.observe(thermostat, \.degrees, options: [.prior, .old, .new]) { wall, _, change in
            wall.log.append(describe(change))
            if change.isPrior { wall.observations.pause() }
        }
        thermostat.degrees = 1
        try wall.log.expect(["prior old 0", "change new 1 old 0"])
        thermostat.degrees = 2
        try wall.log.expect([])
        wall.observations.resume()
        try wall.log.expect([])
        thermostat.degrees = 3
        try wall.log.expect(["prior old 2", "change new 3 old 2"])
    }

    @Test("So is a change of an element; a computed key is evaluated after the pause has begun, and calls nobody")
    func anElementIsToldToTheEnd() throws {
        let shelf = ControllerPairsTests.Shelf()
        func observe<Value>(_ keyPath: KeyPath<ControllerPairsTests.Shelf, Value>) {
            wall.observations.observe(shelf, keyPath, options: [.prior, .new]) { wall, _, change in
                wall.log.append(describe(change))
                if change.isPrior { wall.observations.pause() }
            }
        }
        observe(\.count)
        shelf.books.append("c")
        try wall.log.expect(["prior"])
        shelf.books.append("d")
        try wall.log.expect([])
        wall.observations.unobserveAll()
        wall.observations.resume()
        observe(\.books)
        shelf.mutableArrayValue(for: \.books).append("e")
        let first = wall.log.removeAll()
        #expect(first.count == 2 && first[0].hasPrefix("prior insertion") && first[1].hasPrefix("change insertion"))
        shelf.mutableArrayValue(for: \.books).append("f")
        try wall.log.expect([])
    }

    @Test("So is a manual notification that has begun, and one that begins while the controller is paused is not")
    func aManualNotificationIsToldToTheEnd() throws {
        observeChanges([.prior, .new])
        thermostat.withChange(of: \.degrees) { wall.observations.pause() }
        try wall.log.expect(["prior", "change new 0"])
        thermostat.withChange(of: \.degrees) { thermostat.degrees = 5 }
        try wall.log.expect([])
        // A change that begins in the pause is told at its end if the controller has been resumed by then.
        thermostat.withChange(of: \.degrees) { wall.observations.resume() }
        try wall.log.expect(["change new 5"])
    }

    @Test("The end of a batch decides")
    func theEndOfABatchDecides() throws {
        observeValues()
        observeChanges([.prior, .new])
        observeChanges(.new, tag: "plain")
        wall.log.removeAll()
        withBatchedChanges {
            thermostat.degrees = 1
            wall.observations.pause()
            thermostat.degrees = 2
        }
        try wall.log.expect(["prior"])
        withBatchedChanges { thermostat.degrees = 3 }
        try wall.log.expect([])
        withBatchedChanges {
            thermostat.degrees = 4
            wall.observations.resume()
            // What was left out before.
            try? wall.log.expect(["3"])
        }
        try wall.log.expect(["4", "change new 4", "change new 4"])
    }

    @Test("What is registered while the controller is paused begins when it is resumed")
    func whatIsRegisteredMeanwhileBegins() throws {
        wall.observations.pause()
        observeValues()
        observeChanges([.initial, .new])
        try wall.log.expect([])
        thermostat.degrees = 1
        wall.observations.resume()
        try wall.log.expect(["1"])
        thermostat.degrees = 2
        try wall.log.expect(["2", "change new 2"])
        wall.observations.pause()
        wall.observations.observe(thermostat, \.degrees, ifAlreadyObserved: .replace) { wall, degrees in wall.log.append("new \(degrees)") }
        wall.observations.resume()
        try wall.log.expect(["new 2"])
    }

    @Test("Pairs go from the value that was handed over last to the present one")
    func pairsGoFromTheLastToThePresentValue() throws {
        wall.observations.onChange(of: thermostat, \.degrees) { wall, old, new in wall.log.append("\(old) \(new)") }
        thermostat.degrees = 1
        wall.observations.pause()
        thermostat.degrees = 2
        thermostat.degrees = 3
        wall.observations.resume()
        try wall.log.expect(["0 1", "1 3"])
    }

    @Test("What waits for a condition considers the present value when the controller is resumed")
    func onceConsidersThePresentValue() throws {
        wall.observations.observeOnce(thermostat, \.degrees, where: { $0 > 5 }) { wall, degrees in wall.log.append("\(degrees)") }
        wall.observations.pause()
        thermostat.degrees = 9
        thermostat.degrees = 1
        wall.observations.resume()
        try wall.log.expect([])
        wall.observations.pause()
        thermostat.degrees = 6
        thermostat.degrees = 7
        try wall.log.expect([])
        wall.observations.resume()
        try wall.log.expect(["7"])
        #expect(wall.observations.observations.isEmpty)
    }

    @Test("Sequences go on: of values with the present one, of changes with the next one")
    func sequencesGoOn() async {
        let values = wall.observations.values(of: thermostat, \.degrees)
        let changes = wall.observations.changes(of: thermostat, \.degrees)
        wall.observations.pause()
        for degrees in 1...3 { thermostat.degrees = degrees }
        wall.observations.resume()
        thermostat.degrees = 4
        wall.observations.unobserveAll()
        var heard: [String] = []
        for await value in values { heard.append("\(value)") }
        for await change in changes { heard.append(describe(change)) }
        #expect(heard == ["0", "3", "4", "change new 4"])
    }

    @Test("Events of sources are left out")
    func eventsAreLeftOut() throws {
        let (bell, reader) = (Bell(), Reader())
        let observations = ObservationController(observer: reader)
        observations.observe(bell) { reader, number in reader.log.append("\(number)") }
        observations.pause()
        bell.ring(1)
        observations.resume()
        bell.ring(2)
        try reader.log.expect(["2"])
    }

    @Test("A value that waits does not keep the object of a controller that does not retain it")
    func aValueThatWaitsDoesNotKeepTheObject() throws {
        let tracker = LifetimeTracker()
        let observations = ObservationController(observer: wall, retainsObserved: false)
        func live() {
            let thermostat = tracker.track(Thermostat())
            observations.observe(thermostat, \.degrees) { wall, degrees in
                wall.log.append("\(degrees)")
            } onTermination: { [log = wall.log] reason in
                log.append("\(reason)")
            }
            observations.pause()
            thermostat.degrees = 1
        }
        live()
        try tracker.expectAllGone()
        try wall.log.expect(["0", "objectDeinitialized"])
        observations.resume()
        try wall.log.expect([])
    }

    @Test("What waits is released when the observation ends")
    func whatWaitsIsReleased() throws {
        final class Crate: KeyValueObject {
            @Observed var content: Wall?
        }
        let (crate, tracker) = (Crate(), LifetimeTracker())
        wall.observations.observe(crate, \.content) { _, _ in }
        wall.observations.pause()
        crate.content = tracker.track(Wall())
        crate.content = nil
        crate.content = tracker.track(Wall())
        wall.observations.unobserveAll()
        crate.content = nil
        try tracker.expectAllGone()
    }

    @Test("Threads that change a property while a controller is paused and resumed: the last value is handed over, and none twice")
    func threadsMayChangeMeanwhile() async {
        let (gauge, reader, last) = (Gauge(), Reader(), 20_000)
        let observations = SharedObservationController(observer: reader)
        let heard = EventLog<Int>()
        observations.observe(gauge, \.level, on: .anyThread { _, level in heard.append(level) })
        async let changes: Void = Threads.run { for level in 1...last { gauge.level = level } }
        async let pauses: Void = Threads.run {
            while gauge.level < last {
                observations.pause()
                observations.resume()
            }
        }
        _ = await (changes, pauses)
        let levels = heard.events
        #expect(levels.last == last)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 < $1 })
        observations.unobserveAll()
    }
}
