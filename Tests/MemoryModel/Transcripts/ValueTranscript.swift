/// A value that is read while another thread changes it: `ObserverList.noteRead(after:)`, `ObservationInfo.present(insteadOf:)` and the calls around
/// them, for a handler that receives values.
struct ValueTranscript {
    /// These two steps are explored with the memory order of the source, and not with weaker ones: the programs have too many states for that.
    static let readAgain = Site("", "readAgain", "bitwiseOr", .acquiringAndReleasing)
    static let present = Site("", "present", "bitwiseAnd", .acquiringAndReleasing)

    static let rereads = 1 << 28

    /// What the protocol leaves out.
    enum Defect {
        case none
        /// As it was: no value is read again.
        case nothingIsReadAgain
    }

    /// A value and the number of the change for which it was read; at most fifteen of each.
    struct Event {
        var number: Int
        var value: Int
        var word: Int { number << 4 | value }
        init(_ number: Int, _ value: Int) { (self.number, self.value) = (number, value) }
        init(word: Int) { self.init(word >> 4, word & 15) }
    }

    let defect: Defect
    /// An atomic property.
    let cell: Memory.Lock
    let value: Memory.Plain
    /// The numbers of the changes of the list, the state of the observation, and what waits for it.
    let changes: Memory.Atomic
    let state: Memory.Atomic
    let newest: Memory.Atomic
    let lock: Memory.Lock
    let starts: Memory.Plain
    let letters: Memory.Plain
    /// The last value that the handler got, and the threads that are in it.
    let last: Memory.Ghost
    let inside: Memory.Ghost

    init(_ memory: inout Memory, isStarting: Bool, _ defect: Defect) {
        self.defect = defect
        cell = memory.lock("cell.lock")
        value = memory.plain("the property")
        changes = memory.atomic("list.changes", 1)
        state = memory.atomic("info.state", isStarting ? InfoTranscript.starting : 0)
        newest = memory.atomic("info.considered", isStarting ? 0 : 1)
        lock = memory.lock("record.lock")
        starts = memory.plain("record.starts", isStarting ? 1 : 0)
        letters = memory.plain("record.mail")
        last = memory.ghost()
        inside = memory.ghost()
    }

    // MARK: Changes

    /// An assignment: the value and its number change under one lock.
    func assign(_ t: ModelThread) throws {
        let event = try t.withLock(cell) {
            let value = try t.read(value) + 1
            try t.write(self.value, value)
            return try Event(t.add(changes, 1, SpellingTranscript.numberChange) + 1, value)
        }
        try forward(t, event)
    }

    /// An assignment to a property whose getter a subclass overrides, up to the number of the change.
    func assignUnheard(_ t: ModelThread) throws -> Int {
        try t.withLock(cell) { try t.write(value, t.read(value) + 1) }
        return try t.add(changes, 1, SpellingTranscript.numberChange) + 1
    }

    /// `AtomicChange.finish`: the overriding getter is evaluated after the number was taken.
    func evaluate(_ t: ModelThread, _ number: Int) throws {
        let event = try Event(number, read(t))
        if defect != .nothingIsReadAgain, try t.load(changes, SpellingTranscript.lastChange) != number {
            _ = try t.or(state, Self.rereads, Self.readAgain)
        }
        try forward(t, event)
    }

    private func read(_ t: ModelThread) throws -> Int { try t.withLock(cell) { try t.read(value) } }

    /// The initial call of a registration, and what has waited for it.
    func start(_ t: ModelThread) throws {
        let number = try t.load(changes, SpellingTranscript.lastChange)
        let value = try read(t)
        let isNewer = try t.load(changes, SpellingTranscript.lastChange) != number
        try forwardInTurn(t, Event(number, value))
        if defect != .nothingIsReadAgain, isNewer { _ = try t.or(state, Self.rereads, Self.readAgain) }
        while let event = try nextWaiting(t) { try forwardInTurn(t, event) }
        if try mustHandOver(t.load(state, InfoTranscript.startMail)) { try handOver(t) }
    }

    // MARK: Calls

    private func enter(_ t: ModelThread) throws -> Int { try t.add(state, InfoTranscript.call, InfoTranscript.enter) }

    private func leave(_ t: ModelThread) throws {
        let after = try t.add(state, -InfoTranscript.call, InfoTranscript.leave) - InfoTranscript.call
        if mustHandOver(after) { try handOver(t) }
    }

    private func leaveAsking(_ t: ModelThread) throws -> Bool {
        try mustHandOver(t.add(state, -InfoTranscript.call, InfoTranscript.leaveAsking) - InfoTranscript.call)
    }

    private func mustHandOver(_ bits: Int) -> Bool {
        bits & (InfoTranscript.mail | InfoTranscript.callMask | InfoTranscript.starting) == InfoTranscript.mail
    }

    private func forward(_ t: ModelThread, _ event: Event) throws {
        let bits = try enter(t)
        if bits & InfoTranscript.starting != 0 {
            let isPostponed = try t.withLock(lock) {
                let present = try t.read(starts)
                if present & 1 == 0 { return false }
                if event.number > Event(word: present >> 1).number { try t.write(starts, event.word << 1 | 1) }
                return true
            }
            if try leaveAsking(t) { try handOver(t) }
            if !isPostponed { try forward(t, event) }
        } else if InfoTranscript.hasCalls(bits) {
            try t.withLock(lock) {
                _ = try t.or(state, InfoTranscript.mail, InfoTranscript.leaveMail)
                if try event.number > Event(word: t.read(letters)).number { try t.write(letters, event.word) }
            }
            if try leaveAsking(t) { try handOver(t) }
        } else {
            try call(t, event, bits)
            try leave(t)
        }
    }

    private func forwardInTurn(_ t: ModelThread, _ event: Event) throws {
        try call(t, event, enter(t))
        try leave(t)
    }

    /// `callUnusual` of the broker, and the handler.
    private func call(_ t: ModelThread, _ event: Event, _ bits: Int) throws {
        let event = bits & Self.rereads == 0 ? event : try present(t)
        try t.check(t.ghost(inside) == 0, "two threads are in the handler at once")
        try t.addGhost(inside)
        if try event.number > t.load(newest, InfoTranscript.considered) {
            try t.store(newest, event.number, InfoTranscript.consider)
            try t.check(t.ghost(last) <= event.value, "an older value is handed over after a newer one")
            try t.setGhost(last, event.value)
        }
        try t.addGhost(inside, -1)
    }

    private func present(_ t: ModelThread) throws -> Event {
        _ = try t.and(state, ~Self.rereads, Self.present)
        let number = try t.load(changes, SpellingTranscript.lastChange)
        let value = try read(t)
        if try t.load(changes, SpellingTranscript.lastChange) != number { _ = try t.or(state, Self.rereads, Self.readAgain) }
        return Event(number, value)
    }

    private func handOver(_ t: ModelThread) throws {
        repeat {
            if try enter(t) & (InfoTranscript.callMask | InfoTranscript.starting) != 0 { continue }
            while let event = try nextMail(t) { try forwardInTurn(t, event) }
        } while try leaveAsking(t)
    }

    private func nextMail(_ t: ModelThread) throws -> Event? {
        try t.withLock(lock) {
            let word = try t.read(letters)
            if word == 0 { return nil }
            try t.write(letters, 0)
            _ = try t.and(state, ~InfoTranscript.mail, InfoTranscript.takeMail)
            return Event(word: word)
        }
    }

    private func nextWaiting(_ t: ModelThread) throws -> Event? {
        try t.withLock(lock) {
            let word = try t.read(starts) >> 1
            try t.write(starts, word == 0 ? 0 : 1)
            if word != 0 { return Event(word: word) }
            _ = try t.and(state, ~InfoTranscript.starting, InfoTranscript.startOver)
            return nil
        }
    }
}

extension ValueTranscript {
    static var mediumPrograms: [Program] { [initial(.none), evaluations(.none)] }
    static var defects: [Program] { [initial(.nothingIsReadAgain), evaluations(.nothingIsReadAgain)] }

    /// An observer registers, with an initial call, while another thread assigns twice.
    private static func initial(_ defect: Defect) -> Program {
        var memory = Memory()
        let property = ValueTranscript(&memory, isStarting: true, defect)
        return Program(
            "values: an initial value beside two assignments" + name(of: defect), memory,
            [
                ("registration", [{ t in try property.start(t) }]),
                ("assignments", [{ t in try property.assign(t) }, { t in try property.assign(t) }]),
            ]
        ) { t in try property.checkLast(t, 2) }
    }

    /// Three threads assign, and each evaluates an overriding getter for its change; the third one does so when the others have ended.
    private static func evaluations(_ defect: Defect) -> Program {
        var memory = Memory()
        let property = ValueTranscript(&memory, isStarting: false, defect)
        let number = memory.ghost()
        let assignment: Program.Thread = ("assignment", [{ t in try property.evaluate(t, property.assignUnheard(t)) }])
        return Program(
            "values: three evaluations" + name(of: defect), memory,
            [assignment, assignment, ("assignment that is held", [{ t in try t.setGhost(number, property.assignUnheard(t)) }])]
        ) { t in
            try property.evaluate(t, t.ghost(number))
            try property.checkLast(t, 3)
        }
    }

    private static func name(of defect: Defect) -> String { defect == .none ? "" : ", none read again" }

    /// Checks that the handler got the property's last value, and that nothing waits.
    private func checkLast(_ t: ModelThread, _ value: Int) throws {
        try t.check(t.ghost(last) == value, "the last value is not the one that the handler has")
        let waits = InfoTranscript.mail | InfoTranscript.starting | InfoTranscript.callMask
        try t.check(t.load(state, InfoTranscript.disposeLoad) & waits == 0, "something waits for nobody")
    }
}
