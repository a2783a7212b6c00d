/// A pause during a change: `ObservationRecord.pause(_:)` of an info with prior calls, and what `isPaused(for:begunAt:)` asks.
struct PauseTranscript {
    /// How the number of the pause is noted.
    enum Defect {
        case none
        /// As it was: the info is paused before the number is noted.
        case numberIsNotedLast
        /// The number is made the serial one before the info is paused.
        case serialIsMadeFirst
    }

    private let lock: Memory.Lock
    private let state: Memory.Atomic
    private let serial: Memory.Atomic
    private let pausedAt: Memory.Atomic
    private let defect: Defect

    private init(_ memory: inout Memory, _ defect: Defect) {
        lock = memory.lock("record.lock")
        state = memory.atomic("info.state")
        serial = memory.atomic("record.serial", 1)
        pausedAt = memory.atomic("extras.pausedAt")
        self.defect = defect
    }

    private func pause(_ t: ModelThread) throws {
        try t.withLock(lock) {
            if try t.load(state, InfoTranscript.pauseLoad) & InfoTranscript.paused != 0 { return }
            let number = try t.load(serial, RecordTranscript.serialLoad) + 1
            if defect == .serialIsMadeFirst { try t.store(serial, number, InfoTranscript.pauseSerial) }
            if defect != .numberIsNotedLast { try t.store(pausedAt, number, InfoTranscript.notePause) }
            try t.or(state, InfoTranscript.paused, InfoTranscript.pause)
            if defect == .none { try t.store(serial, number, InfoTranscript.pauseSerial) }
            if defect == .numberIsNotedLast {
                try t.store(serial, number, InfoTranscript.pauseSerial)
                try t.store(pausedAt, number, InfoTranscript.notePause)
            }
        }
    }

    private func resume(_ t: ModelThread) throws {
        try t.and(state, ~InfoTranscript.paused, InfoTranscript.resume)
    }

    /// A call before a change, or after it: whether it is made.
    private func call(_ t: ModelThread, changeBegunAt limit: Int) throws -> Bool {
        _ = try t.add(state, InfoTranscript.call, InfoTranscript.enter)
        let isMade = try !isPaused(t, changeBegunAt: limit)
        _ = try t.add(state, -InfoTranscript.call, InfoTranscript.leave)
        return isMade
    }

    private func isPaused(_ t: ModelThread, changeBegunAt limit: Int) throws -> Bool {
        if try t.load(state, InfoTranscript.pausedInCall) & InfoTranscript.paused == 0 { return false }
        let pausedAt = try t.load(pausedAt, InfoTranscript.wasPaused)
        return limit == 0 || limit >= pausedAt
    }

    private static func program(_ name: String, _ defect: Defect = .none, pauses: Int) -> Program {
        var memory = Memory()
        let info = PauseTranscript(&memory, defect)
        return Program(
            name, memory,
            [
                (
                    "change",
                    [
                        { t in
                            let limit = try t.load(info.serial, RecordTranscript.currentSerial)
                            let isCalledBefore = try info.call(t, changeBegunAt: 0)
                            let isCalledAfter = try info.call(t, changeBegunAt: limit)
                            try t.check(isCalledAfter || !isCalledBefore, "an observer is called before a change, and not after it")
                        }
                    ]
                ),
                (
                    "pause",
                    [
                        { t in
                            try info.pause(t)
                            for _ in 1..<pauses {
                                try info.resume(t)
                                try info.pause(t)
                            }
                        }
                    ]
                ),
            ])
    }

    static var programs: [Program] {
        [program("pause: during a change", pauses: 1), program("pause: twice during a change", pauses: 2)]
    }

    static var defects: [Program] {
        [
            program("pause: its number is noted last", .numberIsNotedLast, pauses: 1),
            program("pause: its number is made the serial one first", .serialIsMadeFirst, pauses: 1),
        ]
    }
}
