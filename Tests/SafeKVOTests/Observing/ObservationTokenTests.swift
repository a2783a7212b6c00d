import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Observing without a controller.
@Suite struct ObservationTokenTests {
    let thermostat = Thermostat()
    let log = EventLog<String>()

    @Test("A token tells the object and each change, until it is cancelled")
    func aTokenTellsUntilItIsCancelled() throws {
        let token = thermostat.observation(of: \.degrees, options: [.old, .new]) { thermostat, change in
            log.append("\(thermostat.room): \(describe(change))")
        }
        thermostat.degrees = 1
        try log.expect(["hall: change new 1 old 0"])
        token.cancel()
        token.cancel()
        thermostat.degrees = 2
        try log.expect([])
    }

    @Test("A token with a handler of values tells the present one first, unless it is left out")
    func aTokenTellsValues() throws {
        let tokens = [
            thermostat.observation(of: \.degrees) { _, degrees in log.append("\(degrees)") },
            thermostat.observation(of: \.degrees, initial: false, removing: .duplicates) { _, degrees in log.append("new \(degrees)") },
        ]
        thermostat.degrees = 1
        thermostat.degrees = 1
        try log.expect(["0", "1", "new 1", "1"])
        withExtendedLifetime(tokens) {}
    }

    @Test("A token ends the observation when it is released, and says so")
    func aTokenEndsWhenItIsReleased() throws {
        var token: ObservationToken? = thermostat.observation(of: \.degrees) {
            log.append("\($1)")
        } onTermination: { [log] reason in
            log.append("\(reason)")
        }
        withExtendedLifetime(token) {}
        token = nil
        thermostat.degrees = 1
        try log.expect(["0", "observerDeinitialized"])
        token = thermostat.observation(of: \.room) {
            log.append($1)
        } onTermination: { [log] reason in
            log.append("\(reason)")
        }
        token?.cancel()
        try log.expect(["hall", "removed"])
    }

    @Test("Two tokens of one key path are two observations")
    func twoTokensAreTwoObservations() throws {
        let tokens = [1, 2].map { number in thermostat.observation(of: \.degrees, initial: false) { _, _ in log.append("\(number)") } }
        thermostat.degrees = 1
        try log.expect(["1", "2"])
        tokens[0].cancel()
        thermostat.degrees = 2
        try log.expect(["2"])
        withExtendedLifetime(tokens) {}
    }

    @Test("A token does not retain the object, whose end it reports")
    func aTokenDoesNotRetainTheObject() throws {
        let tracker = LifetimeTracker()
        func live() -> ObservationToken {
            let thermostat = tracker.track(Thermostat())
            return thermostat.observation(of: \.degrees) {
                log.append("\($1)")
            } onTermination: { [log] in
                log.append("\($0)")
            }
        }
        let token = live()
        try tracker.expectAllGone()
        try log.expect(["0", "objectDeinitialized"])
        token.cancel()
    }

    final class Diary: KeyValueObject {
        @Observed var page = 0
        var token: ObservationToken?
        var read: [Int] = []

        func readOneself() {
            token = observation(of: \.page, options: .new) { diary, change in diary.read.append(change.newValue ?? -1) }
        }
    }

    @Test("An object may keep the token of an observation of itself, and is released")
    func anObjectMayKeepATokenOfItself() throws {
        let tracker = LifetimeTracker()
        func live() {
            let diary = tracker.track(Diary())
            diary.readOneself()
            diary.page = 1
            #expect(diary.read == [1])
        }
        live()
        try tracker.expectAllGone()
    }

    @Test("What a handler captures is released with the token, or when it is cancelled")
    func whatAHandlerCapturesIsReleased() throws {
        let tracker = LifetimeTracker()
        func token() -> ObservationToken {
            let box = tracker.track(Wall())
            return thermostat.observation(of: \.degrees) { _, _ in box.log.removeAll() }
        }
        var released: ObservationToken? = token()
        withExtendedLifetime(released) {}
        released = nil
        try tracker.expectAllGone()
        let cancelled = token()
        cancelled.cancel()
        try tracker.expectAllGone()
    }

    @Test("A token may be cancelled and released in its own handler")
    func aTokenMayEndInItsHandler() throws {
        final class Box { var token: ObservationToken? }
        let box = Box()
        box.token = thermostat.observation(of: \.degrees, initial: false) { [weak box] _, degrees in
            log.append("\(degrees)")
            box?.token?.cancel()
            box?.token = nil
        }
        thermostat.degrees = 1
        thermostat.degrees = 2
        try log.expect(["1"])
        withExtendedLifetime(box) {}
    }

    @Test("A token of an object that is being deallocated is one of nothing")
    func aTokenOfADyingObjectIsOneOfNothing() throws {
        final class Dying: KeyValueObject {
            @Observed var number = 0
            let log: EventLog<String>
            init(_ log: EventLog<String>) { self.log = log }
            deinit {
                let token = observation(of: \.number) { [log] in log.append("\($1)") }
                number = 1
                token.cancel()
            }
        }
        _ = Dying(log)
        try log.expect([])
    }

    @Test("A token is known to diagnostics as an observer")
    func aTokenIsKnownToDiagnostics() {
        let token = thermostat.observation(of: \.degrees) { _, _ in }
        #expect(ObservationDiagnostics.observations(of: thermostat).map(\.name) == ["degrees"])
        token.cancel()
        #expect(ObservationDiagnostics.observations(of: thermostat).isEmpty)
    }

    @Test("Sequences without a controller have the values and the changes, and end with the object")
    func sequencesWithoutAController() async throws {
        var object: Thermostat? = Thermostat()
        let values = try #require(object?.values(of: \.degrees))
        let changes = try #require(object?.changes(of: \.degrees, options: [.old, .new]))
        object?.degrees = 1
        object?.degrees = 2
        object = nil
        var heard: [String] = []
        for await value in values { heard.append("\(value)") }
        for await change in changes { heard.append(describe(change)) }
        #expect(heard == ["0", "1", "2", "change new 1 old 0", "change new 2 old 1"])
    }

    @Test("A sequence without a controller observes as long as somebody holds it, and retains no object")
    func aSequenceObservesAsLongAsItIsHeld() async throws {
        let tracker = LifetimeTracker()
        do {
            let thermostat = tracker.track(Thermostat())
            do {
                let values = thermostat.values(of: \.degrees, initial: false)
                #expect(ObservationDiagnostics.observations(of: thermostat).count == 1)
                thermostat.degrees = 1
                var iterator = values.makeAsyncIterator()
                #expect(await iterator.next() == 1)
            }
            #expect(ObservationDiagnostics.observations(of: thermostat).isEmpty)
        }
        try tracker.expectAllGone()
    }
}

/// A token in the isolation of an actor.
@Suite @MainActor struct ObservationTokenOnMainActorTests {
    final class Shared: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var level = 0
    }

    final class Download: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var received = 0
    }

    @Test("Rule 41: a token with `on:` hands over values in the isolation that its handler names, and does not retain the object")
    @MainActor func aTokenHopsToItsIsolation() async throws {
        let tracker = LifetimeTracker()
        var download: Download? = tracker.track(Download())
        let (values, ends) = (EventLog<Int>(), EventLog<String>())
        func observe(_ download: Download) -> ObservationToken {
            download.observation(
                of: \.received, removing: .duplicates,
                on: .mainActor { download, received in
                    MainActor.assertIsolated()
                    #expect(download.received >= received)
                    values.append(received)
                }, onTermination: { ends.append("\($0)") })
        }
        let token = try observe(#require(download))
        try values.expect([0])
        download?.received = 1
        try values.expect([1])
        await Task.detached { [download] in
            download?.received = 1
            download?.received = 2
        }.value
        await until { values.events.count == 1 }
        try values.expect([2])
        download = nil
        try tracker.expectAllGone()
        try ends.expect(["objectDeinitialized"])
        token.cancel()
    }

    @Test("Rule 41: no handler of a token with `on:` runs after the token was cancelled")
    @MainActor func aCancelledTokenCallsNoWaitingHandler() async throws {
        let (download, values) = (Download(), EventLog<Int>())
        let token = download.observation(of: \.received, initial: false, on: .mainActor { _, received in values.append(received) })
        await Task.detached { download.received = 1 }.value
        token.cancel()
        for _ in 0..<10 { await Task.yield() }
        #expect(values.events.count <= 1)
        download.received = 2
        #expect(values.events.count <= 1)
    }

    actor Gauge: KeyValueObservable {
        nonisolated let keyValueRegistrar = KeyValueRegistrar()
        nonisolated let download = Download()
        nonisolated var received: Int { download.received }
    }

    @Test("Rule 41: a handler of the observed actor runs on that actor")
    func aTokenOfAnActorRunsThere() async throws {
        let (gauge, values) = (Gauge(), EventLog<Int>())
        let token = gauge.observation(
            of: \.received,
            on: .observer { gauge, received in
                gauge.assertIsolated()
                values.append(received)
            })
        await until { values.events.count == 1 }
        gauge.download.received = 1
        await until { values.events.count == 2 }
        try values.expect([0, 1])
        token.cancel()
    }

    @Test("Rule 40: a token of the main actor is told there, and nowhere else")
    func aTokenStaysOnItsActor() {
        let shared = Shared()
        var levels: [Int] = []
        let token = shared.observation(of: \.level) { levels.append($1) }
        shared.level = 1
        OtherThread.run { shared.level = 2 }
        shared.level = 3
        #expect(levels == [0, 1, 3])
        token.cancel()
    }
}
