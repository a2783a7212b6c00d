/// Changes of atomic properties that are made outside the isolation of a handler, and the jobs that they send home.
extension InfoTranscript {
    /// A change of an atomic property that is made outside the isolation of the handler; the job that it sends home holds a lock.
    func changeElsewhere(_ t: ModelThread) throws {
        _ = try t.add(changes, 1, SpellingTranscript.numberChange)
        let bits = try enter(t)
        if bits & Self.removed != 0 {
            _ = try leaveAsking(t, isElsewhere: true)
            return
        }
        try mark(t)
        if try leaveAsking(t, isElsewhere: true) || bits & Self.starting != 0 { try send(t) }
    }

    func send(_ t: ModelThread) throws {
        if try t.or(state, Self.expectedAtHome, Self.expect) & Self.expectedAtHome != 0 { return }
        try t.addGhost(jobs)
        try t.check(t.ghost(jobs) == 1, "two jobs are on their way home")
        try t.unlock(job)
    }

    /// The job that reads the value at home, if there is one.
    func comeHome(_ t: ModelThread) throws {
        if try t.ghost(jobs) == 0 { return }
        try t.lock(job)
        try t.addGhost(jobs, -1)
        try t.and(state, ~Self.expectedAtHome, Self.arrive)
        try handOver(t)
    }
}
