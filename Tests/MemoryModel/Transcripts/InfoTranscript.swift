/// The state of an `ObservationInfo`: who is inside, whether it is removed, who releases what it kept.
package struct InfoTranscript {
    // The bits of `InfoState`; the counts are as wide as a few threads need.
    static let removed = 1
    static let disposed = 1 << 1
    static let starting = 1 << 2
    static let logged = 1 << 3
    static let mail = 1 << 7
    static let call = 1 << 8
    static let callMask = 0x1_FFFF << 8
    static let visit = 1 << 25
    static let visitMask = 3 << 25
    static let insideMask = callMask | visitMask
    static let paused = 1 << 27
    static let delivery = 1 << 29

    static func isReleasable(_ bits: Int) -> Bool { bits & (removed | disposed | insideMask) == removed }
    static func hasCalls(_ bits: Int) -> Bool { bits & callMask != 0 }
    static func finalDeliveries(_ bits: Int) -> Int { bits / delivery - (bits & callMask) / call }

    static func removing(_ bits: Int) -> Int {
        bits & insideMask == 0 ? bits | removed | disposed : (bits | removed) + call
    }

    /// How resuming meets an initial call that is under way.
    enum Defect {
        case none
        /// As it was: the thread that resumes hands over although another makes the initial call.
        case initialCallIsNotAskedFor
    }

    let defect: Defect
    let state: Memory.Atomic
    /// The handler, the list and the owner: read by whoever is inside, released once.
    let kept: Memory.Plain
    /// The controller's lock, and whether the info is in its set.
    let core: Memory.Lock
    let isInSet: Memory.Plain
    /// The record's lock and what waits under it: the number of the newest event that starts or mail have, in the mail with a bit that says whether the
    /// subject is kept.
    let lock: Memory.Lock
    let starts: Memory.Plain
    let letters: Memory.Plain
    /// The number of the newest value that was considered.
    let newest: Memory.Atomic

    /// What has happened: calls that were made, ends, the threads that are in the handler, the events that were handed over or found overtaken.
    let calls: Memory.Ghost
    let ends: Memory.Ghost
    let retired: Memory.Ghost
    let inside: Memory.Ghost
    let heard: Memory.Ghost
    let last: Memory.Ghost
    let isRemoved: Memory.Ghost
    /// Whether `pause()` has returned, and `resume()` has not been called since.
    let isPaused: Memory.Ghost

    init(
        _ memory: inout Memory, isStarting: Bool = false, isLogged: Bool = false, isPaused: Bool = false, waiting: Int = 0,
        defect: Defect = .none
    ) {
        self.defect = defect
        state = memory.atomic(
            "info.state", (isStarting ? Self.starting : 0) | (isLogged ? Self.logged : 0) | (isPaused ? Self.paused : 0))
        core = memory.lock("controller.lock")
        isInSet = memory.plain("the controller's set", 1)
        self.isPaused = memory.ghost(isPaused ? 1 : 0)
        kept = memory.plain("what the info keeps", 1)
        lock = memory.lock("record.lock")
        starts = memory.plain("record.starts", isStarting ? waiting << 1 | 1 : 0)
        letters = memory.plain("record.mail")
        newest = memory.atomic("info.considered")
        calls = memory.ghost()
        ends = memory.ghost()
        retired = memory.ghost(-1)
        inside = memory.ghost()
        heard = memory.ghost()
        last = memory.ghost()
        isRemoved = memory.ghost()
    }

    private func mustHandOver(_ bits: Int) -> Bool { bits & (Self.mail | Self.callMask | Self.paused | startMask) == Self.mail }

    private var startMask: Int { defect == .initialCallIsNotAskedFor ? 0 : Self.starting }

    // MARK: Calls

    func enter(_ t: ModelThread) throws -> Int { try t.add(state, Self.call + Self.delivery, Self.enter) }

    func leave(_ t: ModelThread) throws {
        let after = try t.add(state, -Self.call, Self.leave) - Self.call
        if after & (Self.removed | Self.mail) == 0 { return }
        if after & Self.removed != 0 { return try dispose(t) }
        if mustHandOver(after) { try handOver(t) }
    }

    func leaveWithoutCall(_ t: ModelThread) throws {
        if try leaveAsking(t) { try handOver(t) }
    }

    func leaveAsking(_ t: ModelThread) throws -> Bool {
        let uncounted = Self.call + Self.delivery
        let after = try t.add(state, -uncounted, Self.leaveAsking) - uncounted
        if after & Self.removed != 0 { try dispose(t) }
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
        try t.check(t.read(kept) == 1, "a handler is called after it was released")
        var isLeftOut = isLeftOut
        if number > 0 {
            try t.check(t.ghost(inside) == 0, "two threads are in the handler at once")
            try t.check(t.ghost(heard) & 1 << number == 0, "the value of a change is handed over twice")
            try t.addGhost(inside)
            if try number > t.load(newest, Self.considered) {
                try t.store(newest, number, Self.consider)
                try t.check(t.ghost(last) < number, "an older value is handed over after a newer one")
                try t.check(t.load(newest, Self.consideredInCall) == number, "a value is overtaken while the handler compares it")
                try t.setGhost(last, number)
            } else {
                isLeftOut = true
            }
            try t.setGhost(heard, t.ghost(heard) | 1 << number)
            try t.addGhost(inside, -1)
        }
        if isLeftOut {
            _ = try t.add(state, -Self.delivery, Self.uncount)
        } else {
            try t.addGhost(calls)
        }
    }

    /// The list or the owner is used, by a thread that is counted in.
    private func useKept(_ t: ModelThread) throws {
        try t.check(t.read(kept) == 1, "what an observation keeps is used after it was released")
    }

    // MARK: The broker

    /// `forward(_:to:box:)`, and what it does with an unusual info.
    ///
    /// - Parameters:
    ///   - t: The thread.
    ///   - number: The number of the change; zero if the program is not about values.
    ///   - isLeftOut: Whether the handler leaves the call out.
    ///   - handler: What the handler does; nil for nothing.
    /// - Throws: what the thread's steps throw.
    func forward(_ t: ModelThread, number: Int = 0, isLeftOut: Bool = false, handler: (() throws -> Void)? = nil) throws {
        let bits = try enter(t)
        if bits & Self.removed != 0 { return try leaveWithoutCall(t) }
        try t.check(t.ghost(isRemoved) == 0, "a call starts after the removal has returned")
        if bits & Self.starting == 0 {
            if bits & Self.paused != 0 || Self.hasCalls(bits) && number > 0 { return try leaveToOthers(t, number) }
            try t.check(t.ghost(isPaused) == 0, "a call starts after the pause has returned")
            try call(t, number: number, isLeftOut: isLeftOut)
            try handler?()
            return try leave(t)
        }
        try useKept(t)
        let isPostponed = try postpone(t, number)
        try leaveWithoutCall(t)
        if !isPostponed { try forward(t, number: number, isLeftOut: isLeftOut, handler: handler) }
    }

    func forwardInTurn(_ t: ModelThread, number: Int) throws {
        let bits = try enter(t)
        if bits & Self.removed != 0 { return try leaveWithoutCall(t) }
        if bits & Self.paused != 0 { return try leaveToOthers(t, number) }
        try t.check(t.ghost(isPaused) == 0, "a call starts after the pause has returned")
        try call(t, number: number)
        try leave(t)
    }

    /// `passOver(_:_:_:)`, and what a thread does that finds another in the handler.
    private func leaveToOthers(_ t: ModelThread, _ number: Int) throws {
        if number > 0 {
            try useKept(t)
            try leaveMail(t, number)
        }
        try leaveWithoutCall(t)
    }

    private func handOver(_ t: ModelThread) throws {
        repeat {
            let bits = try enter(t)
            if bits & (Self.removed | Self.callMask | Self.paused | startMask) != 0 { continue }
            try useKept(t)
            while let number = try nextMail(t) { try forwardInTurn(t, number: number) }
        } while try leaveAsking(t)
    }

    // MARK: What waits, under the record's lock

    /// `leave(_:for:)`: of values the newest waits, with the subject unless the info is paused.
    private func leaveMail(_ t: ModelThread, _ number: Int) throws {
        try t.withLock(lock) {
            let isPaused = try t.load(state, Self.leavePaused) & Self.paused != 0
            try t.or(state, Self.mail, Self.leaveMail)
            let present = try t.read(letters)
            try noteLeftOut(t, min(present >> 1, number))
            if number > present >> 1 { try t.write(letters, number << 1 | (isPaused ? 0 : 1)) }
        }
    }

    private func nextMail(_ t: ModelThread) throws -> Int? {
        try t.withLock(lock) {
            if try t.load(state, Self.takePaused) & Self.paused != 0 { return nil }
            let present = try t.read(letters)
            if present == 0 { return nil }
            try t.check(present & 1 == 1, "a value is handed over, and its subject is not kept")
            try t.write(letters, 0)
            try t.and(state, ~Self.mail, Self.takeMail)
            return present >> 1
        }
    }

    private func dropMail(_ t: ModelThread) throws {
        try t.withLock(lock) {
            try t.write(letters, 0)
            try t.and(state, ~Self.mail, Self.exchangeMail)
        }
    }

    /// What is left out because a newer one is there has been dealt with.
    private func noteLeftOut(_ t: ModelThread, _ number: Int) throws { try t.setGhost(heard, t.ghost(heard) | 1 << number) }

    // MARK: Pauses

    /// `ControllerCore.pause()`, with `ObservationRecord.pause(_:)` of an info that is told values.
    func pause(_ t: ModelThread) throws {
        try t.withLock(core) {
            if try t.read(isInSet) == 0 { return }
            try t.withLock(lock) {
                if try t.load(state, Self.pauseLoad) & Self.paused != 0 { return }
                if try t.or(state, Self.paused, Self.pause) & Self.mail != 0 { try t.write(letters, t.read(letters) & ~1) }
            }
        }
        try t.setGhost(isPaused, 1)
    }

    /// `ControllerCore.resume()`, with `ObservationRecord.resume(_:)`.
    func resume(_ t: ModelThread) throws {
        try t.setGhost(isPaused, 0)
        let isResumed = try t.withLock(core) {
            if try t.read(isInSet) == 0 { return false }
            try t.withLock(lock) {
                let before = try t.and(state, ~Self.paused, Self.resume)
                if before & (Self.paused | Self.mail) == Self.paused | Self.mail { try t.write(letters, t.read(letters) | 1) }
            }
            return true
        }
        if isResumed, try t.load(state, Self.resumeMail) & Self.mail != 0 { try handOver(t) }
    }

    /// A removal from the controller's set.
    func removeFromSet(_ t: ModelThread) throws {
        let isMarked = try t.withLock(core) {
            try t.write(isInSet, 0)
            return try markRemoved(t)
        }
        if isMarked { try finishRemoval(t) }
        try t.setGhost(isRemoved, 1)
    }

    // MARK: The start

    /// A start is under way while `starts` is odd; the number that waits is in the rest.
    private func postpone(_ t: ModelThread, _ number: Int) throws -> Bool {
        try t.withLock(lock) {
            let present = try t.read(starts)
            if present & 1 == 0 { return false }
            try noteLeftOut(t, min(present >> 1, number))
            try t.write(starts, max(present >> 1, number) << 1 | 1)
            return true
        }
    }

    /// The end of `ControllerCore.register`: the initial call, and what has waited for it.
    func start(_ t: ModelThread, number: Int) throws {
        try forwardInTurn(t, number: number)
        while let number = try nextWaiting(t) { try forwardInTurn(t, number: number) }
        if defect == .none, try mustHandOver(t.load(state, Self.startMail)) { try handOver(t) }
    }

    private func nextWaiting(_ t: ModelThread) throws -> Int? {
        try t.withLock(lock) {
            let present = try t.read(starts)
            if present & 1 == 0 { return nil }
            try t.write(starts, present >> 1 == 0 ? 0 : 1)
            if present >> 1 != 0 { return present >> 1 }
            try t.and(state, ~Self.starting, Self.startOver)
            return nil
        }
    }

    // MARK: The end

    func markRemoved(_ t: ModelThread) throws -> Bool {
        var current = try t.load(state, Self.removeLoad)
        while current & Self.removed == 0 {
            let (exchanged, original) = try t.compareExchange(
                state, expected: current, desired: Self.removing(current), Self.removeExchange)
            if exchanged { return true }
            current = original
        }
        return false
    }

    private func dispose(_ t: ModelThread) throws {
        let current = try t.load(state, Self.disposeLoad)
        guard Self.isReleasable(current) else { return }
        let (exchanged, _) = try t.compareExchange(state, expected: current, desired: current | Self.disposed, Self.disposeExchange)
        guard exchanged else { return try dispose(t) }
        try didDispose(t, current)
    }

    private func didDispose(_ t: ModelThread, _ current: Int) throws {
        try t.setGhost(retired, Self.finalDeliveries(current))
        try letGo(t)
    }

    private func letGo(_ t: ModelThread) throws {
        try t.check(t.ghost(ends) == 0, "an observation ends twice")
        try t.addGhost(ends)
        try t.write(kept, 0)
        let ended = try t.load(state, Self.notifyEnd)
        try t.check(ended & Self.removed != 0, "an observation ends that is not removed")
        if ended & Self.mail != 0 { try dropMail(t) }
        if ended & Self.logged != 0 { try t.and(state, ~Self.logged, Self.logEnd) }
    }

    private func finishRemoval(_ t: ModelThread) throws {
        let current = try t.load(state, Self.finish)
        try current & Self.disposed != 0 ? didDispose(t, current) : leave(t)
    }

    /// A removal by the controller, which is counted in nowhere.
    func remove(_ t: ModelThread) throws {
        if try markRemoved(t) { try finishRemoval(t) }
        try t.setGhost(isRemoved, 1)
    }

    /// `ObserverList.link(_:inPlaceOf:)`, as far as it concerns the state: `letters` says whether the info is linked.
    func link(_ t: ModelThread) throws {
        try t.withLock(lock) {
            if try t.load(state, Self.isOver) & Self.removed != 0 { return }
            try t.write(letters, 1)
        }
    }

    /// A removal with its `ObserverList.unlink(_:)`.
    func removeAndUnlink(_ t: ModelThread) throws {
        guard try markRemoved(t) else { return }
        try t.withLock(lock) { try t.write(letters, 0) }
        try finishRemoval(t)
    }

    /// `end(for:)`: by whoever holds the info and nothing else.
    func end(_ t: ModelThread) throws {
        if try enter(t) & Self.removed == 0 {
            try useKept(t)
            if try markRemoved(t) { try finishRemoval(t) }
        }
        try leaveWithoutCall(t)
    }

    // MARK: Looks

    /// `ifKept(_:)`.
    func visit(_ t: ModelThread) throws {
        var current = try t.load(state, Self.visitLoad)
        while true {
            let weight = current & Self.visitMask == Self.visitMask ? Self.call : Self.visit
            let (exchanged, original) = try t.compareExchange(
                state, expected: current, desired: current + weight, Self.visitExchange)
            if exchanged {
                if current & Self.disposed == 0 {
                    try useKept(t)
                }
                let after = try t.add(state, -weight, Self.endVisit) - weight
                if after & Self.removed != 0 { try dispose(t) }
                return
            }
            current = original
        }
    }
}
