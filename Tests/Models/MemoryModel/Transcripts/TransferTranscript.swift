/// `TransferQueue`, and what `ObservationBroker+Transfers` does with it; manual notifications that are under way.
package struct TransferTranscript {
    static let file = "Delivery/Transfers/TransferQueue.swift"
    static let count = Site(file, "count", "load", .acquiring)
    static let append = Site(file, "append", "store", .releasing)
    static let next = Site(file, "next", "store", .releasing)
    static let end = Site(file, "end", "store", .releasing)
    static let sites = [count, append, next, end]

    let lock: Memory.Lock
    /// The numbers of the events that wait, in order, a digit each.
    let waiting: Memory.Plain
    let isScheduled: Memory.Plain
    let waitingCount: Memory.Atomic
    /// What was delivered, in order, a digit each; the jobs that are under way.
    let heard: Memory.Ghost
    let jobs: Memory.Ghost

    init(_ memory: inout Memory) {
        lock = memory.lock("queue.lock")
        waiting = memory.plain("queue.waiting")
        isScheduled = memory.plain("queue.isScheduled")
        waitingCount = memory.atomic("queue.waitingCount")
        heard = memory.ghost()
        jobs = memory.ghost()
    }

    private static func digits(_ number: Int) -> Int { String(number).count - (number == 0 ? 1 : 0) }

    func append(_ t: ModelThread, _ event: Int) throws -> Bool {
        try t.withLock(lock) {
            let all = try t.read(waiting) * 10 + event
            try t.write(waiting, all)
            try t.store(waitingCount, Self.digits(all), Self.append)
            let isFirst = try t.read(isScheduled) == 0
            try t.write(isScheduled, 1)
            return isFirst
        }
    }

    private func next(_ t: ModelThread) throws -> Int? {
        try t.withLock(lock) {
            let all = try t.read(waiting)
            var power = 1
            while power * 10 <= all { power *= 10 }
            let event = all / power
            try t.write(waiting, all % power)
            try t.store(waitingCount, Self.digits(all % power), Self.next)
            return event == 0 ? nil : event
        }
    }

    private func endJob(_ t: ModelThread) throws -> Bool {
        try t.withLock(lock) {
            let isLeft = try t.read(waiting) != 0
            try t.write(isScheduled, isLeft ? 1 : 0)
            return isLeft
        }
    }

    /// Lets go of all that waits.
    func end(_ t: ModelThread) throws {
        try t.withLock(lock) {
            try t.write(waiting, 0)
            try t.store(waitingCount, 0, Self.end)
        }
    }

    private func deliver(_ t: ModelThread, _ event: Int) throws { try t.setGhost(heard, t.ghost(heard) * 10 + event) }

    func deliverWaiting(_ t: ModelThread) throws {
        for _ in 0..<(try t.load(waitingCount, Self.count)) {
            guard let event = try next(t) else { return }
            try deliver(t, event)
        }
    }

    /// The jobs of one `append(_:)` that asked for one.
    func runJobs(_ t: ModelThread) throws {
        repeat {
            try t.check(t.ghost(jobs) == 0, "two jobs are under way")
            try t.addGhost(jobs)
            try deliverWaiting(t)
            try t.addGhost(jobs, -1)
        } while try endJob(t)
    }

    /// A change where the hop ends: what arrived before comes before.
    func deliverInPlace(_ t: ModelThread, _ event: Int) throws {
        if try t.load(waitingCount, Self.count) > 0 { try deliverWaiting(t) }
        try deliver(t, event)
    }
}

extension TransferTranscript {
    static var programs: [Program] { [twoProducers, inPlace, ended] }

    /// Two threads bring about events; the job runs on whatever thread brought it about.
    private static var twoProducers: Program {
        var memory = Memory()
        let queue = TransferTranscript(&memory)
        return Program(
            "hops: two threads and their jobs", memory,
            [[1, 2], [3]].map { events in
                (
                    "thread of \(events)",
                    [
                        { t in
                            for event in events where try queue.append(t, event) { try queue.runJobs(t) }
                        }
                    ]
                )
            }
        ) { t in
            let heard = try t.ghost(queue.heard)
            try t.check([123, 132, 312].contains(heard), "an event is lost, comes twice or too early: \(heard)")
            try t.check(t.read(queue.isScheduled) == 0, "a job is under way for ever")
        }
    }

    /// A thread leaves an event to the place of the handler, and lets that know by something else; there a change follows.
    private static var inPlace: Program {
        var memory = Memory()
        let queue = TransferTranscript(&memory)
        let flag = memory.atomic("what the program tells between threads")
        let job = memory.lock("the job", isHeld: true)
        return Program(
            "hops: a change where the hop ends", memory,
            [
                (
                    "elsewhere",
                    [
                        { t in
                            if try queue.append(t, 1) { try t.unlock(job) }
                            try t.store(flag, 1, Litmus.releasing)
                        }
                    ]
                ),
                (
                    "in place",
                    [
                        { t in
                            let isKnown = try t.load(flag, Litmus.acquiring) == 1
                            try queue.deliverInPlace(t, 2)
                            if isKnown { try t.check(t.ghost(queue.heard) == 12, "what arrived before does not come before") }
                        },
                        { t in
                            try t.lock(job)
                            try queue.runJobs(t)
                        },
                    ]
                ),
            ]
        ) { t in try t.check([12, 21].contains(t.ghost(queue.heard)), "an event is lost, or comes twice") }
    }

    /// The observation ends while an event waits.
    private static var ended: Program {
        var memory = Memory()
        let queue = TransferTranscript(&memory)
        let job = memory.lock("the job", isHeld: true)
        return Program(
            "hops: the observation ends while an event waits", memory,
            [
                ("elsewhere", [{ t in if try queue.append(t, 1) { try t.unlock(job) } }]),
                (
                    "in place",
                    [
                        { t in
                            try t.lock(job)
                            try queue.runJobs(t)
                        }
                    ]
                ),
                ("end", [{ t in try queue.end(t) }]),
            ]
        ) { t in try t.check(t.read(queue.waiting) == 0, "an event waits for ever") }
    }
}

/// `OpenAnnouncement`: the number of manual notifications, looked at without the lock.
struct AnnouncementTranscript {
    static let file = "KeyValue/Manual/OpenAnnouncement.swift"
    static let has = Site("Delivery/ObserverList/ObservationRecord.swift", "hasAnnouncements", "load", .relaxed)
    static let begin = Site(file, "beginAnnouncement", "wrappingAdd", .relaxed)
    static let forget = Site(file, "forget", "wrappingSubtract", .relaxed)
    static let lists = Site("KeyValue/Manual/ManualChange.swift", "lists", "load", .relaxed)
    static let sites = [has, begin, forget, lists]

    static var programs: [Program] {
        var memory = Memory()
        let lock = memory.lock("record.lock")
        let announcements = memory.plain("record.announcements")
        let count = memory.atomic("record.announcementCount")
        let threads: [Program.Thread] = [1, 2].map { thread in
            (
                "thread \(thread)",
                [
                    { t in
                        // `beginAnnouncement(of:bare:)`.
                        try t.withLock(lock) {
                            try t.write(announcements, t.read(announcements) | thread)
                            _ = try t.add(count, 1, begin)
                        }
                        // `isChangingHere(_:besides:)`.
                        try t.check(t.load(count, has) > 0, "a thread does not see its own notification")
                        // A second one, inside the first.
                        try t.withLock(lock) { _ = try t.add(count, 1, begin) }
                        try t.check(t.load(count, lists) > 1, "a thread takes one of its notifications for the only one")
                        try t.withLock(lock) { _ = try t.add(count, -1, forget) }
                        try t.withLock(lock) {
                            try t.check(t.read(announcements) & thread != 0, "a notification is lost")
                            try t.write(announcements, t.read(announcements) & ~thread)
                            _ = try t.add(count, -1, forget)
                        }
                    }
                ]
            )
        }
        return [
            Program("announcements: two threads", memory, threads) { t in
                try t.check(t.load(count, has) == 0, "a notification is counted that is over")
            }
        ]
    }
}
