import SafeKVOTesting
import Testing

@Suite struct EventLogTests {
    @Test func aLogKeepsTheOrderOfEvents() {
        let log = EventLog<Int>()
        #expect(log.events == [])
        log.append(2)
        log.append(1)
        #expect(log.events == [2, 1])
        #expect(log.removeAll() == [2, 1])
        #expect(log.events == [])
    }

    @Test func aHistoryAsExpectedEmptiesTheLog() throws {
        let log = EventLog<String>()
        try log.expect([])
        log.append("a")
        try log.expect(["a"])
        try log.expect([])
    }

    @Test func aMismatchShowsBothHistoriesFromTheFirstDifferenceOn() throws {
        let log = EventLog<String>()
        for event in ["a", "b", "c"] { log.append(event) }
        let mismatch = try #require(throws: EventLogMismatch.self) {
            try log.expect(["a", "x", "c", "d"], fileID: "Module/File.swift", line: 7)
        }
        #expect(mismatch.expected == ["a", "x", "c", "d"])
        #expect(mismatch.actual == ["a", "b", "c"])
        #expect(mismatch.position == "Module/File.swift:7")
        #expect(
            mismatch.description == """
                Module/File.swift:7: `EventLog.expect(_:)` failed from event 1 on (expected 4, got 3):
                  1: expected x, got b
                  2: expected c, got c
                  3: expected d, got nothing
                """)
        #expect(log.events == [])
    }

    @Test func anEventTooManyIsAMismatch() throws {
        let log = EventLog<Int>()
        log.append(1)
        log.append(1)
        let line: UInt = #line + 1
        let mismatch = try #require(throws: EventLogMismatch.self) { try log.expect([1]) }
        #expect(
            mismatch.description == """
                SafeKVOTestingTests/EventLogTests.swift:\(line): `EventLog.expect(_:)` failed from event 1 on (expected 1, got 2):
                  1: expected nothing, got 1
                """)
    }

    @Test func eventsInAnotherOrderAreAMismatch() {
        let log = EventLog<Int>()
        log.append(1)
        log.append(2)
        #expect(throws: EventLogMismatch.self) { try log.expect([2, 1]) }
    }

    @Test func aLogLosesNothingThatSeveralTasksAppend() async {
        let log = EventLog<Int>()
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask { for number in 0..<250 { log.append(task * 250 + number) } }
            }
        }
        #expect(log.events.sorted() == Array(0..<1000))
    }
}
