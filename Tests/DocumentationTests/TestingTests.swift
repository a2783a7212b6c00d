import SafeKVO
import SafeKVOTesting
import Testing

/// README's example of a test that uses SafeKVOTesting.
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
        // snippet: testing
        let log = EventLog<String>()
        let tracker = LifetimeTracker()
        do {
            let (lamp, room) = (tracker.track(Lamp()), tracker.track(Room(log)))
            room.enter(lamp)
            lamp.isOn = true
            try log.expect(["dark", "light"])  // everything that happened, in order; empties the log
        }
        try tracker.expectAllGone()  // names the lines that made what is still there
        // end snippet
    }
}
