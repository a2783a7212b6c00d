/// The actor, the jobs that it runs, and the path whose last value an observation keeps.
extension EndTranscript {
    // MARK: The actor

    /// `livingTarget`: a strong reference to the actor, unless its `deinit` has begun.
    func retainActor(_ t: ModelThread) throws -> Bool {
        guard let actor else { return false }
        var current = try t.load(actor, Self.weakLoad)
        while current > 0 {
            let (exchanged, original) = try t.compareExchange(actor, expected: current, desired: current + 1, Self.retain)
            if exchanged { return true }
            current = original
        }
        return false
    }

    /// Gives a reference back; the last one runs the `deinit` of the actor, in which the controller may end.
    func releaseActor(_ t: ModelThread) throws {
        guard let actor, try t.add(actor, -1, Self.release) == 1 else { return }
        // The `deinit` is not isolated: nobody is at home any more.
        if ownsController { try endController(t, Self.elsewhere) }
        // A thread that waits for a job waits no longer.
        try t.unlock(job)
    }

    /// Sends a job home that keeps the info, and the actor, which this thread has retained.
    func send(_ t: ModelThread, _ info: Info) throws {
        if defect != .jobKeepsNothing { try retain(t, info) }
        // Two bits for each info: two threads may send a job for one.
        try t.addGhost(jobs, info.bit * info.bit)
        try t.unlock(job)
    }

    /// The jobs that are there.
    func runJobs(_ t: ModelThread, _ place: Place = home) throws {
        let bits = try t.ghost(jobs)
        try t.setGhost(jobs, 0)
        for info in infos {
            for _ in 0..<(bits / (info.bit * info.bit) & 3) {
                try finishAtHome(t, info, place)
                if defect != .jobKeepsNothing { try release(t, info) }
                try releaseActor(t)
            }
        }
    }

    // MARK: The path

    /// A path with a last value that its observers need.
    struct Path {
        /// The last value among the holds in the set.
        static let bit = 1

        let lock: Memory.Lock
        let observers: Memory.Plain
        let last: Memory.Plain
        let isHeld: Memory.Plain
        /// The home that observes, or has observed, the path.
        let home: Memory.Plain

        init(_ memory: inout Memory, observers count: Int) {
            lock = memory.lock("path.lock")
            observers = memory.plain("path.activations", count)
            last = memory.plain("path.last", 1)
            isHeld = memory.plain("path.turn")
            home = memory.plain("path.home", 1)
        }
    }

    /// `noteUnlinking(_:)`, under the record's lock.
    func noteUnlinking(_ t: ModelThread) throws {
        guard let path else { return }
        try t.withLock(path.lock) { try t.write(path.observers, t.read(path.observers) - 1) }
    }

    /// `takeUnwanted()`: the last value, if nobody needs it any more.
    func takeUnwanted(_ t: ModelThread) throws -> Bool {
        guard let path else { return false }
        return try t.withLock(path.lock) {
            guard try t.read(path.observers) == 0, try t.read(path.last) != 0 else { return false }
            if defect != .turnIsIgnored, try t.read(path.isHeld) != 0 { return false }
            if defect != .homeOfPathIsIgnored, try t.read(path.home) != 1 { return false }
            try t.check(t.read(path.last) == 1, "the last value of another home is taken")
            try t.write(path.last, 0)
            return true
        }
    }

    /// The home evaluates the path, compares the value with the last one, and keeps it.
    func evaluate(_ t: ModelThread) throws {
        guard let path else { return }
        let hasTurn = try t.withLock(path.lock) {
            if try t.read(path.observers) == 0 { return false }
            try t.write(path.isHeld, 1)
            return true
        }
        if !hasTurn { return }
        try t.withLock(path.lock) {
            try t.check(t.read(path.last) == 1, "the last value goes while the path is evaluated")
        }
        try t.write(region, 4)
        try t.withLock(path.lock) { try t.write(path.last, 1) }
        // `pass()`
        let isUnwanted = try t.withLock(path.lock) {
            try t.write(path.isHeld, 0)
            guard defect != .passTakesNothing, try t.read(path.observers) == 0, try t.read(path.last) != 0 else { return false }
            try t.write(path.last, 0)
            return true
        }
        if isUnwanted { try t.write(region, 3) }
    }

    /// Another home observes the path once nobody does and nothing is left of the first, ends its observation, and lets go.
    func claim(_ t: ModelThread) throws {
        guard let path else { return }
        let isMine = try t.withLock(path.lock) {
            guard try t.read(path.observers) == 0, try t.read(path.last) == 0, try t.read(path.isHeld) == 0 else { return false }
            try t.write(path.home, 2)
            try t.write(path.observers, 1)
            try t.write(path.last, 2)
            return true
        }
        if !isMine { return }
        try t.withLock(path.lock) { try t.write(path.observers, 0) }
        try t.withLock(path.lock) {
            try t.check(t.read(path.last) == 2, "the last value of another home is taken")
            try t.write(path.last, 0)
        }
    }
}
