/// `Lock`, where it is a word of its own.
///
/// The locks of other transcripts are those of the checker, which promise the same.
struct LockTranscript {
    static let file = "Delivery/Lock.swift"
    static let lock = Site(file, "lock", "compareExchange", .acquiring)
    static let unlock = Site(file, "unlock", "exchange", .releasing)
    static let wait = Site(file, "wait", "exchange", .acquiring)
    static let sites = [lock, unlock, wait]

    /// What a thread does that finds the lock held.
    enum Defect {
        case none
        /// It waits without having said so, and the holder wakes nobody.
        case waitIsNotAnnounced
    }

    private static let free = 0
    private static let held = 1
    private static let awaited = 2

    let word: Memory.Atomic
    /// What `safekvo_wait` waits for, and `safekvo_wake` opens.
    ///
    /// It stays open if nobody waits. So does the system's: whoever would wait later finds another value in the word.
    let sleep: Memory.Lock
    let defect: Defect

    func lock(_ t: ModelThread) throws {
        if try t.compareExchange(word, expected: Self.free, desired: Self.held, Self.lock).exchanged { return }
        if defect == .waitIsNotAnnounced { return try t.lock(sleep) }
        while try t.exchange(word, Self.awaited, Self.wait) != Self.free { try t.lock(sleep) }
    }

    func unlock(_ t: ModelThread) throws {
        if try t.exchange(word, Self.free, Self.unlock) == Self.awaited { try t.unlock(sleep) }
    }

    static var programs: [Program] { [program(threads: 2)] }

    /// Threads that change a plain word, one after the other.
    static func program(threads: Int, _ defect: Defect = .none) -> Program {
        var memory = Memory()
        let lock = LockTranscript(word: memory.atomic("lock.word"), sleep: memory.lock("the wait", isHeld: true), defect: defect)
        let count = memory.plain("what the lock guards")
        return Program(
            "lock: \(threads) threads\(defect == .none ? "" : ", one of which waits unannounced")", memory,
            (1...threads).map { number in
                (
                    "thread \(number)",
                    [
                        { t in
                            try lock.lock(t)
                            try t.write(count, t.read(count) + 1)
                            try lock.unlock(t)
                        }
                    ]
                )
            }
        ) { t in
            try t.check(t.read(count) == threads, "a change under the lock is lost")
        }
    }
}
