/// The state of an `ObservationInfo`: who calls it, what waits, whether it is removed, and who reports that.
///
/// ``EndTranscript`` has the rest of the end: who lets go of what an observation keeps.
package struct InfoTranscript {
    // The bits of `InfoState`; the counts are as wide as there.
    static let removed = 1
    static let reported = 1 << 1
    static let starting = 1 << 2
    static let logged = 1 << 3
    static let marked = 1 << 7
    static let paused = 1 << 8
    static let expectedAtHome = 1 << 9
    static let opened = 1 << 10
    static let call = 1 << 11
    static let delivery = call << 17
    static let callMask = delivery - call

    static func hasCalls(_ bits: Int) -> Bool { bits & callMask != 0 }

    /// How resuming meets an initial call that is under way.
    enum Defect {
        case none
        /// As it was: the thread that resumes hands over although another makes the initial call.
        case initialCallIsNotAskedFor
    }

    let defect: Defect
    /// Whether the handler has an isolation.
    let hasHome: Bool
    let state: Memory.Atomic
    /// The handler, which is let go of once.
    let handler: Memory.Plain
    /// The controller's lock, and whether the info is in its set.
    let core: Memory.Lock
    let isInSet: Memory.Plain
    /// The record's lock, how many changes wait in the queue under it, and whether the info is linked.
    let lock: Memory.Lock
    let queued: Memory.Plain
    let isLinked: Memory.Plain
    /// The numbers of the changes of the list, and that of the newest value that was considered.
    let changes: Memory.Atomic
    let newest: Memory.Atomic

    /// What has happened: calls that were made, ends, the threads that are in the handler, the number of the last value.
    let calls: Memory.Ghost
    let ends: Memory.Ghost
    let opens: Memory.Ghost
    let counted: Memory.Ghost
    let inside: Memory.Ghost
    let last: Memory.Ghost
    let isRemoved: Memory.Ghost
    /// The jobs on their way home.
    let jobs: Memory.Ghost
    let job: Memory.Lock
    /// Whether `pause()` has returned, and `resume()` has not been called since.
    let isPaused: Memory.Ghost

    init(
        _ memory: inout Memory, isStarting: Bool = false, isLogged: Bool = false, isPaused: Bool = false, isMarked: Bool = false,
        hasHome: Bool = false, defect: Defect = .none
    ) {
        self.defect = defect
        self.hasHome = hasHome
        state = memory.atomic(
            "info.state",
            (isStarting ? Self.starting : 0) | (isLogged ? Self.logged : 0) | (isPaused ? Self.paused : 0) | (isMarked ? Self.marked : 0))
        core = memory.lock("controller.lock")
        isInSet = memory.plain("the controller's set", 1)
        self.isPaused = memory.ghost(isPaused ? 1 : 0)
        handler = memory.plain("the handler", 1)
        lock = memory.lock("record.lock")
        queued = memory.plain("record.queues")
        isLinked = memory.plain("whether the info is linked")
        // The number of the value that an initial call tells is 1.
        changes = memory.atomic("list.changes", isMarked ? 2 : 1)
        newest = memory.atomic("info.considered", isStarting ? 0 : 1)
        calls = memory.ghost()
        ends = memory.ghost()
        opens = memory.ghost()
        counted = memory.ghost(-1)
        inside = memory.ghost()
        last = memory.ghost()
        isRemoved = memory.ghost()
        jobs = memory.ghost()
        job = memory.lock("the job", isHeld: true)
    }

    private func mustHandOver(_ bits: Int) -> Bool { bits & (Self.marked | Self.callMask | Self.paused | startMask) == Self.marked }

    private var startMask: Int { defect == .initialCallIsNotAskedFor ? 0 : Self.starting }

    // MARK: Calls

    func enter(_ t: ModelThread) throws -> Int { try t.add(state, Self.call + Self.delivery, Self.enter) }

    func leave(_ t: ModelThread) throws {
        let after = try t.add(state, -Self.call, Self.leave) - Self.call
        if after & (Self.removed | Self.marked) == 0 { return }
        if after & Self.removed != 0 { return try finishEnd(t) }
        if mustHandOver(after) { try handOver(t) }
    }

    func leaveWithoutCall(_ t: ModelThread) throws {
        if try leaveAsking(t) { try handOver(t) }
    }

    func leaveAsking(_ t: ModelThread, isElsewhere: Bool = false) throws -> Bool {
        let uncounted = Self.call + Self.delivery
        let after = try t.add(state, -uncounted, Self.leaveAsking) - uncounted
        if after & Self.removed != 0 { try isElsewhere ? reportIfLast(t) : finishEnd(t) }
        return after & Self.removed == 0 && mustHandOver(after)
    }

    /// `call(observer:event:)`: the handler runs.
    ///
    /// - Parameters:
    ///   - t: The thread.
    ///   - number: The number of the change; zero if the program is not about values.
    ///   - isLeftOut: Whether the handler leaves the call out, so that it is not counted.
    /// - Throws: what the thread's steps throw.
    func call(_ t: ModelThread, number: Int = 0, isLeftOut: Bool = false) throws {
        try t.check(t.read(handler) == 1, "a handler is called after it was let go of")
        var isLeftOut = isLeftOut
        if number > 0 {
            try t.check(t.ghost(inside) == 0, "two threads are in the handler at once")
            try t.addGhost(inside)
            if try number > t.load(newest, Self.considered) {
                try t.store(newest, number, Self.consider)
                try t.check(t.ghost(last) < number, "an older value is handed over after a newer one")
                try t.check(t.load(newest, Self.consideredInCall) == number, "a value is overtaken while the handler compares it")
                try t.setGhost(last, number)
            } else {
                isLeftOut = true
            }
            try t.addGhost(inside, -1)
        }
        if isLeftOut {
            _ = try t.add(state, -Self.delivery, Self.uncount)
        } else {
            try t.addGhost(calls)
        }
    }

    // MARK: The broker

    /// A change of which an observer is told that takes values.
    func change(_ t: ModelThread) throws { try forward(t, number: t.add(changes, 1, SpellingTranscript.numberChange) + 1) }

    /// `forward(_:to:box:)`, and what it does with an unusual info.
    ///
    /// - Parameters:
    ///   - t: The thread.
    ///   - number: The number of the change; zero if the handler takes changes.
    ///   - isLeftOut: Whether the handler leaves the call out.
    ///   - handler: What the handler does; nil for nothing.
    /// - Throws: what the thread's steps throw.
    func forward(
        _ t: ModelThread, number: Int = 0, isLeftOut: Bool = false, handler: (() throws -> Void)? = nil
    ) throws {
        let bits = try enter(t)
        if bits & Self.removed != 0 { return try leaveWithoutCall(t) }
        try t.check(t.ghost(isRemoved) == 0, "a call starts after the removal has returned")
        if bits & Self.starting != 0 {
            if number == 0 {
                let isQueued = try queue(t)
                try leaveWithoutCall(t)
                if !isQueued { try forward(t, isLeftOut: isLeftOut, handler: handler) }
                return
            }
            try mark(t)
        } else if bits & Self.paused != 0 {
            if number > 0 { try mark(t) }
        } else if Self.hasCalls(bits), number > 0, !hasHome {
            try mark(t)
        } else if bits & Self.marked != 0 {
            try deliverWaiting(t)
        } else {
            try t.check(t.ghost(isPaused) == 0, "a call starts after the pause has returned")
            try call(t, number: number, isLeftOut: isLeftOut)
            try handler?()
            return try leave(t)
        }
        try leaveWithoutCall(t)
    }

    func forwardInTurn(_ t: ModelThread, number: Int = 0) throws {
        let bits = try enter(t)
        if bits & (Self.removed | Self.paused) == 0 {
            try t.check(t.ghost(isPaused) == 0, "a call starts after the pause has returned")
            try call(t, number: number)
            return try leave(t)
        }
        if bits & Self.removed == 0, number > 0 { try mark(t) }
        try leaveWithoutCall(t)
    }

    func handOver(_ t: ModelThread) throws {
        while true {
            let bits = try enter(t)
            if bits & (Self.removed | (hasHome ? 0 : Self.callMask) | Self.paused | startMask) == 0 {
                try deliverWaiting(t)
            }
            if try !leaveAsking(t) { return }
            if hasHome { return try send(t) }
        }
    }

    // MARK: Marks, and what waits in the queue under the record's lock

    func mark(_ t: ModelThread) throws { try t.or(state, Self.marked, Self.mark) }

    /// `deliverWaiting(to:)`, with `presentEvent()`; only observers that take changes have a queue here.
    private func deliverWaiting(_ t: ModelThread) throws {
        let isMarked = try t.and(state, ~Self.marked, Self.takeMark) & Self.marked != 0
        if !isMarked {
            let count = try t.withLock(lock) {
                let count = try t.read(queued)
                try t.write(queued, 0)
                return count
            }
            for _ in 0..<count { try forwardInTurn(t) }
            return
        }
        let number = try t.load(changes, SpellingTranscript.lastChange)
        if try t.load(changes, SpellingTranscript.lastChange) != number { return try mark(t) }
        try forwardInTurn(t, number: number)
    }

    private func queue(_ t: ModelThread) throws -> Bool {
        try t.withLock(lock) {
            if try t.load(state, Self.queueStarting) & Self.starting == 0 { return false }
            try t.write(queued, t.read(queued) + 1)
            return true
        }
    }

    private func takeQueue(_ t: ModelThread) throws { try t.withLock(lock) { try t.write(queued, 0) } }

    // MARK: Pauses

    /// `ControllerCore.pause()`, with `ObservationRecord.pause(_:)` of an info that is told values.
    func pause(_ t: ModelThread) throws {
        try t.withLock(core) {
            if try t.read(isInSet) == 0 { return }
            try t.withLock(lock) {
                if try t.load(state, Self.pauseLoad) & Self.paused != 0 { return }
                try t.or(state, Self.paused, Self.pause)
            }
        }
        try t.setGhost(isPaused, 1)
    }

    /// `ControllerCore.resume()`, with `ObservationInfo.resume()`.
    func resume(_ t: ModelThread) throws {
        try t.setGhost(isPaused, 0)
        let isMarked = try t.withLock(core) {
            try t.read(isInSet) == 1 && t.and(state, ~Self.paused, Self.resume) & Self.marked != 0
        }
        if isMarked { try handOver(t) }
    }

    /// A removal from the controller's set.
    func removeFromSet(_ t: ModelThread) throws {
        let isMarked = try t.withLock(core) {
            try t.write(isInSet, 0)
            return try markRemoved(t)
        }
        if isMarked { try finishEnd(t) }
        try t.setGhost(isRemoved, 1)
    }

    // MARK: The start

    /// The end of `ControllerCore.register`: the initial call, and what has come meanwhile.
    ///
    /// - Parameters:
    ///   - t: The thread.
    ///   - takesValues: Whether the handler takes values, and not changes.
    /// - Throws: what the thread's steps throw.
    func start(_ t: ModelThread, takesValues: Bool = true) throws {
        let number = try takesValues ? t.load(changes, SpellingTranscript.lastChange) : 0
        try forwardInTurn(t, number: number)
        if takesValues, try t.load(changes, SpellingTranscript.lastChange) != number { try mark(t) }
        while try !endStart(t) { try deliverWaiting(t) }
        if defect == .none, try mustHandOver(t.load(state, Self.startMark)) { try handOver(t) }
    }

    private func endStart(_ t: ModelThread) throws -> Bool {
        try t.withLock(lock) {
            let bits = try t.load(state, Self.startLoad)
            guard try t.read(queued) == 0, bits & (Self.marked | Self.paused | Self.expectedAtHome) != Self.marked else { return false }
            try t.and(state, ~Self.starting, Self.startOver)
            return true
        }
    }

    // MARK: The end

    /// Replaces the state, and returns that before; nil if there is nothing to do.
    private func changeState(_ t: ModelThread, _ change: (Int) -> Int?) throws -> Int? {
        var current = try t.load(state, Self.changeLoad)
        while let changed = change(current) {
            let (exchanged, original) = try t.compareExchange(state, expected: current, desired: changed, Self.changeExchange)
            if exchanged { return current }
            current = original
        }
        return nil
    }

    func markRemoved(_ t: ModelThread) throws -> Bool {
        try changeState(t) { $0 & Self.removed != 0 ? nil : $0 | Self.removed } != nil
    }

    /// `finishEnd(through:)`, where this thread may let go.
    private func finishEnd(_ t: ModelThread) throws {
        let before = try changeState(t) { bits in
            // At home, those who are counted find out that they are elsewhere.
            if bits & Self.opened != 0 || Self.hasCalls(bits) && !hasHome { return nil }
            return bits | Self.opened | (Self.hasCalls(bits) ? 0 : Self.reported)
        }
        guard let before else { return try reportIfLast(t) }
        if !Self.hasCalls(before), before & Self.reported == 0 { try report(t, before) }
        try t.write(handler, 0)
        try t.addGhost(opens)
    }

    private func reportIfLast(_ t: ModelThread) throws {
        let before = try changeState(t) { $0 & Self.reported != 0 || Self.hasCalls($0) ? nil : $0 | Self.reported }
        if let before { try report(t, before) }
    }

    private func report(_ t: ModelThread, _ ended: Int) throws {
        try t.addGhost(ends)
        try t.check(t.ghost(ends) == 1, "an observation ends twice")
        try t.check(ended & Self.removed != 0, "an observation ends that is not removed")
        try t.setGhost(counted, ended / Self.delivery)
        if ended & Self.marked != 0 { try takeQueue(t) }
        if ended & Self.logged != 0 { try t.and(state, ~Self.logged, Self.logEnd) }
    }

    /// A removal by the controller.
    func remove(_ t: ModelThread) throws {
        if try markRemoved(t) { try finishEnd(t) }
        try t.setGhost(isRemoved, 1)
    }

    /// `ObserverList.link(_:inPlaceOf:)`, as far as it concerns the state: `isLinked` says whether the info is linked.
    func link(_ t: ModelThread) throws {
        try t.withLock(lock) {
            if try t.load(state, Self.isOver) & Self.removed != 0 { return }
            try t.write(isLinked, 1)
        }
    }

    /// A removal with its `ObserverList.unlink(_:)`.
    func removeAndUnlink(_ t: ModelThread) throws {
        guard try markRemoved(t) else { return }
        try t.withLock(lock) { try t.write(isLinked, 0) }
        try finishEnd(t)
    }
}
