import SafeKVO
import SafeKVOTesting
import Testing

/// An example of a test that uses SafeKVOTesting.
@Suite struct TestingTests {
    final class Lamp: KeyValueObject {
        @Observed var isOn = false
    }
    final class Room {
        let log: EventLog<String>
        private lazy var observations = ObservationController(observer: self)

        init(_ log: EventLog<String>) { self.log = log }

        func enter(_ lamp: Lamp) {
            observations.observe(lamp, \.isOn) { room, isOn in room.log.append(isOn ? "light" : "dark") }
        }
    }

    @Test func aRoomFollowsItsLamp() throws {
        let log = EventLog<String>()
        let tracker = LifetimeTracker()
        do {
            let (lamp, room) = (tracker.track(Lamp()), tracker.track(Room(log)))
            room.enter(lamp)
            lamp.isOn = true
            try log.expect(["dark", "light"])  // everything that happened, in order; empties the log
        }
        try tracker.expectAllGone()  // names the lines that made what is still there
    }

    @Test func aRoomIsTested() throws {
        // snippet: testing-history
        let log = EventLog<String>()
        let tracker = LifetimeTracker()
        do {
            let lamp = tracker.track(Lamp())
            let room = tracker.track(Room(log))
            room.enter(lamp)
            lamp.isOn = true
            try log.expect(["dark", "light"])  // the whole history, in order
        }
        try tracker.expectAllGone()  // or throws, with the lines of `track`
        // end snippet
    }

    @Test func aRoomCanLeaveItsLamp() throws {
        final class Guest {
            private lazy var observations = ObservationController(observer: self)

            func enter(_ lamp: Lamp) { observations.observe(lamp, \.isOn) { _, _ in } }
            func leave(_ lamp: Lamp) { observations.unobserve(lamp) }
        }
        // snippet: testing-leaks
        let (lamp, guest) = (Lamp(), Guest())
        guest.enter(lamp)
        guest.leave(lamp)
        try expectNoObservations(on: lamp)  // or throws, with observers and lines
        // end snippet
        guest.enter(lamp)
        let leak = #expect(throws: ObservationLeak.self) { try expectNoObservations(on: lamp) }
        #expect(leak?.observations.map(\.observerType) == ["Guest"])
    }

    @Test @MainActor func aPolledValueIsTestedWithoutWaiting() async throws {
        final class File { var size = 0 }
        @MainActor final class Meter {
            let log = EventLog<Int>()
            private lazy var observations = ObservationController(observer: self)

            func watch(_ file: File, clock: some Clock<Duration>) {
                observations.poll(file, \.size, every: .seconds(1), clock: clock) { meter, size in meter.log.append(size) }
            }
        }
        let (file, meter) = (File(), Meter())
        // snippet: testing-clock
        let clock = SteppedClock()
        meter.watch(file, clock: clock)
        try await clock.waitForSleepers(1)
        file.size = 512
        clock.advance(by: .seconds(1))
        try await clock.waitForSleepers(1)  // it has read the size, and sleeps
        try meter.log.expect([0, 512])
        // end snippet
    }
}
