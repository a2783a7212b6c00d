/// A value that is read while another thread changes it: `ObserverList.markUnlessNewest(_:)`, `HandlerInfo.presentEvent()` and the calls around them,
/// for a handler that receives values.
struct ValueTranscript {
    /// What the protocol leaves out.
    enum Defect {
        case none
        /// Nobody asks after the read of a value whether its number is still the newest.
        case numberIsNotAskedAgain
    }

    /// A value and the number of the change for which it was read.
    struct Event {
        let number: Int
        let value: Int
        init(_ number: Int, _ value: Int) { (self.number, self.value) = (number, value) }
    }

    let defect: Defect
    /// An atomic property.
    let cell: Memory.Lock
    let value: Memory.Plain
    /// The numbers of the changes of the list, and the state of the observation.
    let changes: Memory.Atomic
    let state: Memory.Atomic
    let newest: Memory.Atomic
    let lock: Memory.Lock
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
        try markUnlessNewest(t, number)
        try forward(t, event)
    }

    private func markUnlessNewest(_ t: ModelThread, _ number: Int) throws {
        if defect == .none, try t.load(changes, SpellingTranscript.lastChange) != number { try mark(t) }
    }

    private func mark(_ t: ModelThread) throws { try t.or(state, InfoTranscript.marked, InfoTranscript.mark) }

    private func read(_ t: ModelThread) throws -> Int { try t.withLock(cell) { try t.read(value) } }

    /// The initial call of a registration, and what has come meanwhile.
    func start(_ t: ModelThread) throws {
        let number = try t.load(changes, SpellingTranscript.lastChange)
        let value = try read(t)
        try forwardInTurn(t, Event(number, value))
        try markUnlessNewest(t, number)
        while try !endStart(t) { try deliverWaiting(t) }
        if try mustHandOver(t.load(state, InfoTranscript.startMark)) { try handOver(t) }
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
        bits & (InfoTranscript.marked | InfoTranscript.callMask | InfoTranscript.starting) == InfoTranscript.marked
    }

    private func forward(_ t: ModelThread, _ event: Event) throws {
        let bits = try enter(t)
        if bits & InfoTranscript.starting != 0 || InfoTranscript.hasCalls(bits) {
            try mark(t)
        } else if bits & InfoTranscript.marked != 0 {
            try deliverWaiting(t)
        } else {
            try call(t, event)
            return try leave(t)
        }
        if try leaveAsking(t) { try handOver(t) }
    }

    private func forwardInTurn(_ t: ModelThread, _ event: Event) throws {
        _ = try enter(t)
        try call(t, event)
        try leave(t)
    }

    private func call(_ t: ModelThread, _ event: Event) throws {
        try t.check(t.ghost(inside) == 0, "two threads are in the handler at once")
        try t.addGhost(inside)
        if try event.number > t.load(newest, InfoTranscript.considered) {
            try t.store(newest, event.number, InfoTranscript.consider)
            try t.check(t.ghost(last) <= event.value, "an older value is handed over after a newer one")
            try t.setGhost(last, event.value)
        }
        try t.addGhost(inside, -1)
    }

    private func handOver(_ t: ModelThread) throws {
        repeat {
            if try enter(t) & (InfoTranscript.callMask | InfoTranscript.starting) != 0 { continue }
            try deliverWaiting(t)
        } while try leaveAsking(t)
    }

    private func deliverWaiting(_ t: ModelThread) throws {
        if try t.and(state, ~InfoTranscript.marked, InfoTranscript.takeMark) & InfoTranscript.marked == 0 { return }
        let number = try t.load(changes, SpellingTranscript.lastChange)
        let value = try read(t)
        if defect == .none, try t.load(changes, SpellingTranscript.lastChange) != number { return try mark(t) }
        try forwardInTurn(t, Event(number, value))
    }

    private func endStart(_ t: ModelThread) throws -> Bool {
        try t.withLock(lock) {
            if try t.load(state, InfoTranscript.startLoad) & InfoTranscript.marked != 0 { return false }
            try t.and(state, ~InfoTranscript.starting, InfoTranscript.startOver)
            return true
        }
    }
}

extension ValueTranscript {
    static var mediumPrograms: [Program] { [evaluations(.none)] }
    static var largePrograms: [Program] { [initial(.none)] }
    static var defects: [Program] { [initial(.numberIsNotAskedAgain), evaluations(.numberIsNotAskedAgain)] }

    /// An observer registers, with an initial call, while two threads assign.
    private static func initial(_ defect: Defect) -> Program {
        var memory = Memory()
        let property = ValueTranscript(&memory, isStarting: true, defect)
        let assignment: Program.Thread = ("assignment", [{ t in try property.assign(t) }])
        return Program(
            "values: an initial value beside two assignments" + name(of: defect), memory,
            [("registration", [{ t in try property.start(t) }]), assignment, assignment]
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

    private static func name(of defect: Defect) -> String { defect == .none ? "" : ", its number not asked again" }

    /// Checks that the handler got the property's last value, and that nothing waits.
    private func checkLast(_ t: ModelThread, _ value: Int) throws {
        try t.check(t.ghost(last) == value, "the last value is not the one that the handler has")
        let waits = InfoTranscript.marked | InfoTranscript.starting | InfoTranscript.callMask
        try t.check(t.load(state, EndTranscript.atEnd) & waits == 0, "something waits for nobody")
    }
}
