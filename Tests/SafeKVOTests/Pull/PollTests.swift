import SafeKVOTesting
import TestSupport
import Testing

@testable import SafeKVO

/// Values of any class, looked at on the main actor.
@Suite @MainActor struct PollTests {
    let log = EventLog<String>()
    let clock = SteppedClock()

    final class File {
        var size = 0
        var name: String? = "a"
        var reads = 0
        var counted: Int {
            reads += 1
            return size
        }
    }

    final class Viewer {
        private(set) lazy var observations = ObservationController(observer: self)
        private(set) lazy var notRetaining = ObservationController(observer: self, retainsObserved: false)
    }

    /// Moves the clock and lets the polls look, of which there are so many.
    private func step(_ duration: Duration = .seconds(1), polls: Int = 1) async throws {
        try await clock.waitForSleepers(polls)
        clock.advance(by: duration)
        try await clock.waitForSleepers(polls)
    }

    @Test("Rule 50: polling reports a change when the value read differs from the last one read")
    func aDifferenceIsReported() async throws {
        let (file, viewer) = (File(), Viewer())
        let result = viewer.observations.poll(file, \.size, every: .seconds(1), clock: clock, initial: false) { [log] _, size in
            log.append("\(size), is \(file.size)")
        }
        #expect(result == .added)
        file.size = 1
        try log.expect([])
        try await step()
        try log.expect(["1, is 1"])
        file.size = 2
        file.size = 3
        try await step()
        try log.expect(["3, is 3"])
        withExtendedLifetime(viewer) {}
    }

    @Test("Rule 50: a tick without a difference calls nobody")
    func aTickWithoutADifferenceCallsNobody() async throws {
        let (file, viewer) = (File(), Viewer())
        viewer.observations.poll(file, \.counted, every: .seconds(1), clock: clock) { [log] _, size in log.append("\(size)") }
        for _ in 1...3 { try await step() }
        file.size = 1
        file.size = 0
        try await step()
        try log.expect(["0"])
        #expect(file.reads == 5)
        #expect(viewer.observations.counters.delivered == 1)
    }

    @Test("The present value comes first, unless it is left out; an optional value may become nil", arguments: [true, false])
    func thePresentValueComesFirst(initial: Bool) async throws {
        let (file, viewer) = (File(), Viewer())
        var names: [String?] = []
        viewer.observations.poll(file, \.name, every: .seconds(1), clock: clock, initial: initial) { _, name in names.append(name) }
        file.name = nil
        try await step()
        #expect(names == (initial ? ["a", nil] : [nil]))
    }

    @Test(
        "Rule 50: a poll ends like any observation, and its timer with it",
        arguments: ["key path", "object", "all", "invalidate", "observer", "controller"])
    func aPollEnds(ending: String) async throws {
        let file = File()
        var viewer: Viewer? = Viewer()
        var observations: ObservationController<Viewer>? = viewer.map { ObservationController(observer: $0) }
        observations?.poll(file, \.size, every: .seconds(1), clock: clock) { [log] _, size in
            log.append("\(size)")
        } onTermination: { [log] reason in
            log.append("ended: \(reason)")
        }
        try await clock.waitForSleepers(1)
        let expected: ObservationEndReason
        switch ending {
        case "key path":
            #expect(observations?.unobserve(file, \.size) == 1)
            #expect(observations?.unobserve(file, \.size) == 0)
            #expect(observations?.counters.ignoredRemoves == 1)
            expected = .removed
        case "object":
            #expect(observations?.unobserve(file) == 1)
            expected = .removed
        case "all":
            #expect(observations?.unobserveAll() == 1)
            expected = .removed
        case "invalidate":
            #expect(observations?.invalidate() == 1)
            expected = .controllerInvalidated
        case "observer":
            viewer = nil
            // Nothing changes, and still the timer must not go on for nobody.
            clock.advance(by: .seconds(1))
            await until { log.events.contains("ended: observerDeinitialized") }
            expected = .observerDeinitialized
        default:
            observations = nil
            expected = .controllerInvalidated
        }
        #expect(clock.sleeperCount == 0)
        file.size = 1
        clock.advance(by: .seconds(5))
        await Task.yield()
        try log.expect(["0", "ended: \(expected)"])
        withExtendedLifetime((viewer, observations)) {}
    }

    @Test("Rules 31, 32: an object that nobody retains is let go, which the next look notices")
    func theObjectMayGoFirst() async throws {
        let viewer = Viewer()
        var file: File? = File()
        viewer.notRetaining.poll(file, \.size, every: .seconds(1), clock: clock) { [log] _, size in
            log.append("\(size)")
        } onTermination: { [log] reason in
            log.append("ended: \(reason)")
        }
        try await clock.waitForSleepers(1)
        weak let gone = file
        weak let record = file.flatMap { PulledRecords.shared.existingRecords(of: $0).first }
        file = nil
        #expect(gone == nil)
        clock.advance(by: .seconds(1))
        await until { log.events.count == 2 }
        try log.expect(["0", "ended: objectDeinitialized"])
        #expect(clock.sleeperCount == 0)
        #expect(viewer.notRetaining.unobserveAll() == 0)
        // Nothing is left of the object.
        await until { record == nil }
    }

    @Test("Rule 31: by default the object is kept until it is unobserved")
    func theObjectIsKept() async throws {
        let viewer = Viewer()
        weak var gone: File?
        func poll() {
            let file = File()
            gone = file
            viewer.observations.poll(file, \.size, every: .seconds(1), clock: clock) { _, _ in }
        }
        poll()
        #expect(gone != nil)
        viewer.observations.unobserveAll()
        #expect(gone == nil)
    }

    @Test("Looks are due at multiples of the interval, however late one comes")
    func thereIsNoDrift() async throws {
        let viewer = Viewer()
        final class Meter {
            let clock: SteppedClock
            init(_ clock: SteppedClock) { self.clock = clock }
            var time: SteppedClock.Instant { clock.now }
        }
        let meter = Meter(clock)
        clock.advance(by: .milliseconds(300))
        viewer.observations.poll(meter, \.time, every: .seconds(1), clock: clock, initial: false) { [log] _, time in
            log.append("\(time.sinceStart)")
        }
        try await step(.milliseconds(1000))
        try await step(.milliseconds(1700))  // late for the second
        try await step(.milliseconds(299))  // too early for the third
        try await step(.milliseconds(1))
        try await step(.milliseconds(3000))  // two are missed
        try await step(.milliseconds(1000))
        try log.expect(["1.3 seconds", "3.0 seconds", "3.3 seconds", "6.3 seconds", "7.3 seconds"])
    }

    @Test("There is one timer for all who poll a value of an object at one interval by one clock")
    func thereIsOneTimer() async throws {
        let file = File()
        let viewers = [Viewer(), Viewer(), Viewer()]
        for viewer in viewers {
            viewer.observations.poll(file, \.counted, every: .seconds(1), clock: clock) { [log] _, size in log.append("\(size)") }
        }
        viewers[0].observations.poll(file, \.counted, every: .seconds(1), clock: clock, tag: "again") { [log] _, size in
            log.append("\(size)")
        }
        try await clock.waitForSleepers(1)
        #expect(clock.sleeperCount == 1)
        try log.expect(["0", "0", "0", "0"])
        let reads = file.reads
        file.size = 5
        try await step()
        #expect(file.reads == reads + 1)
        try log.expect(["5", "5", "5", "5"])
        viewers[1].observations.poll(file, \.counted, every: .seconds(2), clock: clock, tag: "slow") { _, _ in }
        viewers[1].observations.poll(file, \.size, every: .seconds(1), clock: clock) { _, _ in }
        viewers[1].observations.poll(file, \.counted, every: .seconds(1), clock: SteppedClock(), tag: "other clock") { _, _ in }
        try await clock.waitForSleepers(3)
        #expect(clock.sleeperCount == 3)
        for viewer in viewers { viewer.observations.unobserve(file) }
        #expect(clock.sleeperCount == 0)
    }

    @Test("Rule 9: an observer that comes later hears no change that came before it; the others hear it then")
    func aLaterObserverHearsNothingFromBefore() async throws {
        let (file, a, b) = (File(), Viewer(), Viewer())
        a.observations.poll(file, \.size, every: .seconds(1), clock: clock, initial: false) { [log] _, size in log.append("a \(size)") }
        file.size = 1
        b.observations.poll(file, \.size, every: .seconds(1), clock: clock) { [log] _, size in log.append("b \(size)") }
        try log.expect(["a 1", "b 1"])
        try await step()
        try log.expect([])
        file.size = 2
        try await step()
        try log.expect(["a 2", "b 2"])
        withExtendedLifetime((a, b)) {}
    }

    @Test("Rule 48: object, key path and tag make an observation; interval and clock do not")
    func theKeyIsObjectKeyPathAndTag() async throws {
        let (file, viewer) = (File(), Viewer())
        let observations = viewer.observations
        func poll(_ interval: Int, tag: ObservationTag? = nil, _ ifAlreadyObserved: RepeatedObservation = .ignore) -> ObservationResult {
            observations.poll(
                file, \.size, every: .seconds(interval), clock: clock, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
                handler: { [log] _, size in log.append("\(interval): \(size)") })
        }
        #expect(poll(1) == .added)
        #expect(poll(2) == .alreadyObserved)
        #expect(poll(3, tag: "three") == .added)
        try await clock.waitForSleepers(2)
        #expect(poll(4, .replace) == .replaced)
        try await clock.waitForSleepers(2)
        #expect(clock.sleeperCount == 2)
        try log.expect(["1: 0", "3: 0", "4: 0"])
        file.size = 9
        clock.advance(by: .seconds(3))
        await until { !log.events.isEmpty }
        try log.expect(["3: 9"])
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await until { !log.events.isEmpty }
        try log.expect(["4: 9"])
        #expect(observations.counters.ignoredAdds == 1)
        #expect(observations.unobserve(file, \.size, tag: "three") == 1)
        #expect(observations.unobserve(file) == 1)
    }

    @Test("What is observed and what is polled of one object go together")
    func observedAndPolledGoTogether() {
        final class Model: KeyValueObject {
            @Observed var announced = 0
            var plain = 0
        }
        let (model, viewer) = (Model(), Viewer())
        let observations = viewer.observations
        observations.observe(model, \.announced) { _, _ in }
        observations.poll(model, \.plain, every: .seconds(1), clock: clock) { _, _ in }
        observations.poll(model, \.announced, every: .seconds(1), clock: clock, tag: "polled") { _, _ in }
        #expect(observations.unobserve(model, \.plain) == 1)
        #expect(observations.unobserve(model, \.announced, tag: "polled") == 1)
        observations.poll(model, \.plain, every: .seconds(1), clock: clock) { _, _ in }
        #expect(observations.unobserve(model) == 2)
        #expect(clock.sleeperCount == 0)
    }

    @Test("Rule 32: a polled object that is observable ends its polls when it goes")
    func anObservableObjectEndsItsPolls() throws {
        final class Model: KeyValueObject { var plain = 0 }
        let viewer = Viewer()
        do {
            let model = Model()
            viewer.notRetaining.poll(model, \.plain, every: .seconds(1), clock: clock) { _, _ in
            } onTermination: { [log] reason in
                log.append("\(reason)")
            }
        }
        try log.expect(["objectDeinitialized"])
        #expect(clock.sleeperCount == 0)
    }

    @Test("Values are compared as the program says")
    func valuesAreComparedAsTheProgramSays() async throws {
        let (file, viewer) = (File(), Viewer())
        viewer.observations.poll(file, \.size, every: .seconds(1), clock: clock, removing: .duplicates { abs($0 - $1) < 10 }) {
            [log] _, size in log.append("\(size)")
        }
        for size in [9, 10, 19] {
            file.size = size
            try await step()
        }
        try log.expect(["0", "10"])
        withExtendedLifetime(viewer) {}
    }

    @Test("A value that is not Equatable is polled through a computed property that is")
    func otherValuesArePolledThroughAComputedProperty() async throws {
        final class Player {
            var item = File()
            var itemIdentity: ObjectIdentifier { ObjectIdentifier(item) }
        }
        let (player, viewer) = (Player(), Viewer())
        viewer.observations.poll(player, \.itemIdentity, every: .seconds(1), clock: clock) { [log] _, _ in
            log.append("item of \(player.item.size)")
        }
        try await step()
        player.item.size = 4
        try await step()
        let other = File()
        other.size = 7
        player.item = other
        try await step()
        try log.expect(["item of 0", "item of 7"])
        withExtendedLifetime(viewer) {}
    }

    @Test("Polling nil, and for an observer that is gone, is refused")
    func whatCannotBeIsRefused() {
        let viewer = Viewer()
        let none: File? = nil
        #expect(viewer.observations.poll(none, \.size, every: .seconds(1)) { _, _ in } == .refused(.noObject))
        viewer.observations.invalidate()
        let refused = viewer.observations.poll(File(), \.size, every: .seconds(1), clock: clock) { _, _ in }
        #expect(refused == .refused(.controllerInvalidated))
        #expect(clock.sleeperCount == 0)
    }

    @Test("Diagnostics name what is polled")
    func diagnosticsNameWhatIsPolled() {
        let (file, viewer) = (File(), Viewer())
        viewer.observations.poll(file, \.size, every: .seconds(1), clock: clock, tag: "size") { _, _ in }
        let observation = viewer.observations.observations.first
        #expect(observation?.name == "size")
        #expect(observation?.subjectType == "File")
        #expect(observation?.tag == "size")
        #expect(observation?.deliveries == 1)
        #expect(observation?.position.fileID.hasSuffix("PollTests.swift") == true)
    }

    @Test("Handlers may end, release and poll what they like")
    func handlersMayDoWhatTheyLike() async throws {
        let (file, viewer) = (File(), Viewer())
        viewer.observations.poll(file, \.size, every: .seconds(1), clock: clock, initial: false) { [log] viewer, size in
            log.append("\(size)")
            viewer.observations.unobserve(file)
            viewer.observations.poll(file, \.size, every: .seconds(2), clock: clock) { [log] viewer, size in
                log.append("again \(size)")
                if size == 2 { viewer.observations.unobserveAll() }
            }
        }
        try await clock.waitForSleepers(1)
        file.size = 1
        clock.advance(by: .seconds(1))
        try await clock.waitForSleepers(1)
        try log.expect(["1", "again 1"])
        file.size = 2
        clock.advance(by: .seconds(2))
        await until { !log.events.isEmpty }
        try log.expect(["again 2"])
        #expect(clock.sleeperCount == 0)
    }

    @Test("Every clock will do: the continuous one, which is the default")
    func everyClockWillDo() async {
        let (file, viewer) = (File(), Viewer())
        file.size = 1
        await withCheckedContinuation { continuation in
            viewer.observations.poll(file, \.size, every: .milliseconds(1), initial: false) { viewer, _ in
                viewer.observations.unobserveAll()
                continuation.resume()
            }
            file.size = 2
        }
        #expect(viewer.observations.counters.delivered == 1)
    }
}
