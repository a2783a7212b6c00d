import Dispatch
import Foundation
import SafeKVO
import SafeKVODiagnostics
import SafeKVOEvents
import SafeKVOTesting
import TestSupport
import Testing

/// Traces: they belong to the whole process, so each test runs in one of its own.
@Suite struct TraceTests {
    final class Lamp: KeyValueObject {
        @Observed var isOn = false
        @Observed var watts = 0
    }

    final class Room: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread after the other uses it.

        lazy var observations = ObservationController(observer: self)
    }

    /// An event of a trace, as a reader of the format sees it.
    struct Event: Decodable {
        let name: String
        let cat: String?
        let ph: String
        let ts: Double?
        let dur: Double?
        let pid: Int
        let tid: Int
        let args: [String: String]

        /// Whether the other one begins and ends within this one, on its thread.
        func contains(_ other: Event) -> Bool {
            guard let ts, let dur, let otherStart = other.ts else { return false }
            // Times are told to the nanosecond.
            let tolerance = 0.0015
            return tid == other.tid && ts <= otherStart + tolerance && otherStart + (other.dur ?? 0) <= ts + dur + tolerance
        }
    }

    struct File: Decodable {
        let traceEvents: [Event]
    }

    static func events(of trace: ObservationTrace) throws -> [Event] {
        try JSONDecoder().decode(File.self, from: Data(trace.chromeTrace.utf8)).traceEvents
    }

    @Test("A trace tells registrations, changes, calls, nested changes and ends, each within what caused it")
    func nestingIsRight() async {
        await #expect(processExitsWith: .success) {
            let (lamp, room) = (Lamp(), Room())
            let trace = ObservationTrace()
            trace.start()
            room.observations.observe(lamp, \.isOn, options: []) { _, lamp, _ in lamp.watts = 60 }
            room.observations.observe(lamp, \.watts, options: []) { _, _, _ in }
            room.observations.observe(lamp, \.isOn, options: [], tag: "second") { _, _, _ in }
            lamp.isOn = true
            lamp.isOn = true
            room.observations.unobserve(lamp)
            trace.stop()
            lamp.isOn = false

            let events = try TraceTests.events(of: trace)
            let counts = Dictionary(grouping: events, by: { $0.cat ?? "row" }).mapValues(\.count)
            #expect(counts == ["row": 1, "registration": 3, "change": 4, "call": 6, "end": 3])
            let outer = events.filter { $0.cat == "change" && $0.name == "Lamp.isOn" }
            let inner = events.filter { $0.cat == "change" && $0.name == "Lamp.watts" }
            #expect(outer.count == 2 && inner.count == 2)
            #expect(outer.allSatisfy { $0.args["calls"] == "2" } && inner.allSatisfy { $0.args["calls"] == "1" })
            for (change, nested) in zip(outer, inner) {
                #expect(change.contains(nested))
                let calls = events.filter { $0.cat == "call" && $0.name == "Room observes Lamp.isOn" && change.contains($0) }
                #expect(calls.count == 2)
                #expect(calls.count { $0.contains(nested) } == 1)
                #expect(calls.contains { $0.args["tag"] == "second" })
            }
            #expect(!outer[0].contains(outer[1]))
            #expect(
                events.filter { $0.ph != "M" && $0.cat != "change" }.allSatisfy { $0.args["line"]?.contains("TraceTests.swift:") ?? false })
        }
    }

    @Test("What is left to an isolation, what is dropped and what is refused are marks; what comes there later is a call of no change")
    func hopsAndDropsAreMarks() async {
        await #expect(processExitsWith: .success) {
            let trace = ObservationTrace()
            let (shared, other) = (SharedLevel(), Lamp())
            var room: Room? = Room()
            let observations = room?.observations
            let (calls, call) = AsyncStream.makeStream(of: Void.self)
            trace.start()
            if let room {
                room.observations.observe(shared, \.level, options: [], on: .mainActor { _, _, _ in call.yield() })
                room.observations.observe(other, \.watts, options: []) { _, _, _ in }
            }
            OtherThread.run { shared.level = 1 }
            for await _ in calls { break }
            // The call is over when the main actor is free again.
            await MainActor.run {}
            room = nil
            other.watts = 1
            observations?.invalidate()
            observations?.observe(other, \.watts, options: []) { _, _, _ in }
            trace.stop()
            let events = try TraceTests.events(of: trace)
            #expect(events.count { $0.cat == "hop" } == 1)
            #expect(events.count { $0.cat == "call" && $0.name == "Room observes SharedLevel.level" } == 1)
            #expect(!events.contains { $0.cat == "change" && $0.name == "SharedLevel.level" })
            #expect(events.contains { $0.cat == "registration" && $0.name.hasPrefix("refused, ") })
        }
    }

    @Test("Several traces record at once, beside a log handler; each stops alone")
    func tracesAreIndependent() async {
        await #expect(processExitsWith: .success) {
            let (lamp, room) = (Lamp(), Room())
            let log = EventLog<String>()
            let (first, second) = (ObservationTrace(), ObservationTrace(limit: 2))
            first.start()
            second.start()
            second.start()
            ObservationDiagnostics.logHandler = { log.append("\($0.event)") }
            room.observations.observe(lamp, \.isOn, options: []) { _, _, _ in }
            lamp.isOn = true
            lamp.isOn = false
            ObservationDiagnostics.logHandler = nil
            first.stop()
            lamp.isOn = true
            #expect(first.entries.map { "\($0.event)" } == ["added", "delivered", "delivered"])
            #expect(second.entries.map { "\($0.event)" } == ["added", "delivered"])
            #expect(second.omitted == 2)
            try log.expect(["added", "delivered", "delivered"])
            #expect(first.entries.map { $0.duration != nil } == [false, true, true])
            #expect(Set(first.entries.map(\.change)).count == 3)
            second.stop()
            room.observations.observe(lamp, \.watts, options: []) { _, _, _ in }
            #expect(second.omitted == 2)
        }
    }

    @Test("Text that means something in JSON stands for itself")
    func textIsQuoted() async {
        await #expect(processExitsWith: .success) {
            let (center, room) = (MessageCenter(), Room())
            let trace = ObservationTrace()
            trace.start()
            room.observations.observe(center, for: "a \"quoted\" \\ name\n\u{1}") { _, _ in }
            center.post("a \"quoted\" \\ name\n\u{1}")
            trace.stop()
            let events = try TraceTests.events(of: trace)
            #expect(events.contains { $0.cat == "call" && $0.name.contains("a \"quoted\" \\ name\n\u{1}") })
        }
    }

    @Test("Threads have rows of their own, and a trace is whole however many write")
    func threadsHaveRows() async {
        await #expect(processExitsWith: .success) {
            let trace = ObservationTrace()
            trace.start()
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for _ in 0..<50 {
                    let (lamp, room) = (Lamp(), Room())
                    room.observations.observe(lamp, \.isOn, options: []) { _, _, _ in }
                    lamp.isOn = true
                }
            }
            trace.stop()
            let events = try TraceTests.events(of: trace)
            #expect(events.count { $0.cat == "call" } == 200)
            #expect(events.count { $0.cat == "change" } == 200)
            let rows = Set(events.filter { $0.ph == "M" }.map(\.tid))
            #expect(rows == Set(events.map(\.tid)))
        }
    }
}
