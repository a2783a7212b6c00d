import SafeKVO
import SafeKVODiagnostics
import SafeKVOTesting
import TestSupport
import Testing

/// The log of what happens to observations.
///
/// It belongs to the whole process, so each test runs in one of its own.
@Suite struct LogTests {
    final class Lamp: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread uses it.
        @Observed var isOn = false
        @Observed var watts = 0
        @AtomicObserved var shared = 0
    }

    final class Room: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread after the other uses it.

        lazy var observations = ObservationController(observer: self)
        lazy var loose = ObservationController(observer: self, retainsObserved: false)
    }

    @globalActor actor Archive { static let shared = Archive() }

    /// Logs events and names.
    static func start() -> EventLog<String> {
        let log = EventLog<String>()
        ObservationDiagnostics.logHandler = { entry in
            log.append("\(entry.event)" + (entry.observation.map { " \($0.name)" } ?? ""))
        }
        return log
    }

    @Test("Adds, ignored adds, replacements, deliveries, what is left out, and ends are logged")
    func whatHappensIsLogged() async {
        await #expect(processExitsWith: .success) {
            #expect(ObservationDiagnostics.logHandler == nil)
            let log = LogTests.start()
            let (lamp, room) = (Lamp(), Room())
            room.observations.observe(lamp, \.isOn) { _, _ in }
            room.observations.observe(lamp, \.isOn) { _, _ in }
            lamp.isOn = true
            try log.expect(["added isOn", "delivered isOn", "ignored isOn", "delivered isOn"])
            room.observations.observe(lamp, \.isOn, ifAlreadyObserved: .replace) { _, _ in }
            try log.expect(["replaced isOn", "ended(SafeKVO.ObservationEndReason.replaced) isOn", "delivered isOn"])
            room.observations.observe(lamp, \.watts, removing: .duplicates) { _, _ in }
            lamp.watts = 0
            lamp.watts = 1
            try log.expect(["added watts", "delivered watts", "leftOut watts", "delivered watts"])
            room.observations.unobserve(lamp, \.isOn)
            try log.expect(["ended(SafeKVO.ObservationEndReason.removed) isOn"])
        }
    }

    @Test("What is refused is logged with the line, which an ignored result hides")
    func refusalsAreLogged() async {
        await #expect(processExitsWith: .success) {
            let log = EventLog<String>()
            ObservationDiagnostics.logHandler = { log.append("\($0.event) \($0.position.line)") }
            let (lamp, room) = (Lamp(), Room())
            let nothing: Lamp? = nil
            room.observations.observe(nothing, \.isOn, line: 1) { _, _ in }
            room.observations.invalidate()
            room.observations.observe(lamp, \.isOn, line: 2) { _, _ in }
            let refusal = "refused(SafeKVO.ObservationResult.Refusal"
            try log.expect(["\(refusal).noObject) 1", "\(refusal).controllerInvalidated) 2"])
        }
    }

    @Test("A handler of another isolation is refused, which is logged too")
    func aHandlerOfAnotherIsolationIsLogged() async {
        await #expect(processExitsWith: .success) {
            let log = EventLog<String>()
            ObservationDiagnostics.logHandler = { log.append("\($0.event) \($0.position.line)") }
            let (subject, room) = (SharedLevel(), Room())
            let isolated: @MainActor @Sendable (Room, Int) -> Void = { _, _ in }
            room.observations.observe(subject, \.level, on: .globalActor(Archive.self, isolated), line: 1)
            try log.expect(["refused(SafeKVO.ObservationResult.Refusal.handlerOfAnotherIsolation) 1"])
        }
    }

    @Test("What comes too late is logged as dropped, and then as ended")
    func swallowedCallsAreLogged() async {
        await #expect(processExitsWith: .success) {
            let log = LogTests.start()
            let lamp = Lamp()
            var room: Room? = Room()
            let observations = room?.observations
            observations?.observe(lamp, \.isOn, options: []) { _, _, _ in }
            room = nil
            lamp.isOn = true
            try log.expect(["added isOn", "dropped isOn", "ended(SafeKVO.ObservationEndReason.observerDeinitialized) isOn"])
        }
    }

    @Test("A change outside the isolation of a handler is logged as wrongIsolation, and the observer is not touched")
    func misplacedCallsAreLogged() async {
        await #expect(processExitsWith: .success) {
            ObservationDiagnostics.warningHandler = nil
            let log = LogTests.start()
            let (subject, room) = (SharedLevel(), Room())
            await MainActor.run {
                _ = room.observations.observe(subject, \.level, options: []) { _, _, _ in }
            }
            OtherThread.run { subject.level = 1 }
            try log.expect(["added level", "wrongIsolation level"])
            withExtendedLifetime(room) {}
        }
    }

    @Test("The end of the object and of the controller are logged, with the names of what was observed")
    func endsAreLogged() async {
        await #expect(processExitsWith: .success) {
            let log = LogTests.start()
            var lamp: Lamp? = Lamp()
            var room: Room? = Room()
            room?.loose.observe(lamp, \.isOn, options: []) { _, _, _ in }
            lamp = nil
            try log.expect(["added isOn", "ended(SafeKVO.ObservationEndReason.objectDeinitialized) isOn"])
            let other = Lamp()
            room?.observations.observe(other, \.shared, options: [], on: .anyThread { _, _, _ in })
            room = nil
            try log.expect(["added shared", "ended(SafeKVO.ObservationEndReason.observerDeinitialized) shared"])
        }
    }

    @Test("A delivery is logged when its handler has returned; one inside it before; what the log handler causes is not logged")
    func nestedDeliveriesAreLogged() async {
        await #expect(processExitsWith: .success) {
            let (lamp, room) = (Lamp(), Room())
            let log = EventLog<String>()
            room.observations.observe(lamp, \.watts, options: [], tag: "old") { _, _, _ in }
            let shared = SharedLevel()
            ObservationDiagnostics.logHandler = { entry in
                log.append("\(entry.event) \(entry.observation?.name ?? "")")
                shared.level += 1
            }
            room.observations.observe(shared, \.level, options: [], on: .anyThread { _, _, _ in })
            room.observations.observe(lamp, \.isOn, options: []) { _, lamp, _ in lamp.watts += 1 }
            room.observations.observe(lamp, \.watts, options: []) { _, _, _ in }
            _ = log.removeAll()
            lamp.isOn = true
            try log.expect(["delivered watts", "delivered isOn"])
            #expect(room.observations.counters.delivered > 4)
        }
    }

    @Test("Observations that are there already are logged if their controllers were recorded, and no others")
    func recordedObservationsAreLogged() async {
        await #expect(processExitsWith: .success) {
            let (lamp, unknown, known) = (Lamp(), Room(), Room())
            unknown.observations.observe(lamp, \.isOn) { _, _ in }
            ObservationDiagnostics.isRecording = true
            known.observations.observe(lamp, \.watts) { _, _ in }
            let log = LogTests.start()
            lamp.isOn = true
            lamp.watts = 1
            try log.expect(["delivered watts"])
            ObservationDiagnostics.logHandler = nil
            lamp.watts = 2
            try log.expect([])
            #expect(known.observations.counters.delivered == 3)
            withExtendedLifetime((unknown, known)) {}
        }
    }

    @Test("An entry is told in one line")
    func anEntryIsToldInOneLine() async {
        await #expect(processExitsWith: .success) {
            let log = EventLog<String>()
            ObservationDiagnostics.logHandler = { log.append($0.description) }
            let (lamp, room) = (Lamp(), Room())
            let nothing: Lamp? = nil
            // In a process of its own a closure has one line, so each place gets a number.
            room.observations.observe(lamp, \.isOn, options: [], line: 1) { _, _, _ in }
            room.observations.observe(nothing, \.isOn, line: 2) { _, _ in }
            try log.expect([
                "added: Room observes Lamp.isOn, closure, retaining, 0 calls (SafeKVODiagnosticsTests/LogTests.swift:1)",
                "refused, noObject: SafeKVODiagnosticsTests/LogTests.swift:2",
            ])
        }
    }
}
