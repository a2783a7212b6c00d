import SafeKVO
import SafeKVOTesting
import Testing

/// Rules 36 to 39: large numbers, and not one call too many or too few.
@Suite struct ExactCountTests {
    let observer = SharedViewer()

    @Test("Rule 37: eight threads with 20 000 writes each are 160 000 calls", arguments: [false, true])
    func eightThreadsAreAsManyCalls(prior: Bool) throws {
        let (threads, writes) = (8, 20_000)
        let counter = Counter()
        let observations = SharedObservationController(observer: observer)
        let (after, before) = (Tally(), Tally())
        observations.observe(
            counter, \.count, options: prior ? [.prior, .new] : .new,
            on: .anyThread { _, _, change in
                if change.isPrior { before.add() } else { after.add() }
            })
        try Threads.run(threads) { thread in
            for write in 0..<writes { counter.count = thread &* writes &+ write }
        }
        Figures.shared.add(operations: threads * writes)
        #expect(after.total == 160_000)
        #expect(before.total == (prior ? 160_000 : 0))
        #expect(observations.counters == ObservationCounters(delivered: prior ? 320_000 : 160_000))
    }

    @Test("Rules 14 and 37: threads that replace the middle of a path make at most as many calls; then only the present end is heard")
    func replacingTheMiddleOfAPath() throws {
        let (threads, writes) = (4, 2000)
        let hub = Hub()
        let observations = SharedObservationController(observer: observer)
        let (calls, former) = (Tally(), Shared<[Counter]>([]))
        observations.observe(hub, \.middle?.count, options: .new, on: .anyThread { _, _, _ in calls.add() })
        try Threads.run(threads) { thread in
            var mine: [Counter] = []
            defer { former.with { $0 += mine } }
            for _ in 0..<writes {
                let middle = Counter()
                mine.append(middle)
                hub.middle = middle
            }
        }
        Figures.shared.add(operations: threads * writes)
        let told = calls.total
        #expect((1...threads * writes).contains(told))
        let present = try #require(hub.middle)
        let counters = former.current
        #expect(counters.count == threads * writes)
        var records = 0
        for counter in counters where counter !== present {
            counter.count = 1
            records += counter.observationRecords.dependencies
        }
        #expect(calls.total == told)
        #expect(records == 0)
        present.count = 1
        #expect(calls.total == told + 1)
    }

    @Test("Rule 39: of 100 000 observations against a writer none is called after its end, and each ends once")
    func observationsComeAndGoAgainstAWriter() throws {
        let rounds = 100_000
        let counter = Counter()
        let observations = SharedObservationController(observer: observer)
        let stop = Shared(false)
        let (calls, late, ends, wrong, writes) = (Tally(), Tally(), Tally(), Tally(), Tally())
        try Threads.run(2) { thread in
            if thread == 0 {
                while !stop.current {
                    counter.count = 1
                    writes.add()
                }
                return
            }
            for _ in 0..<rounds {
                let ended = Tally()
                let result = observations.observe(
                    counter, \.count, options: .new,
                    on: .anyThread { _, _, _ in
                        calls.add()
                        if ended.total > 0 { late.add() }
                    },
                    onTermination: { _ in
                        ended.add()
                        ends.add()
                    })
                if result != .added || observations.unobserve(counter, \.count) != 1 { wrong.add() }
            }
            _ = stop.exchange(true)
        }
        Figures.shared.add(operations: 2 * rounds + writes.total)
        Figures.shared.add(interleavings: rounds)
        #expect(late.total == 0)
        #expect(wrong.total == 0)
        #expect(ends.total == rounds)
        #expect(observations.counters == ObservationCounters(delivered: UInt64(calls.total)))
        #expect(counter.observationRecords == (0, 0))
    }

    @Test("Rule 36: observing a key path that another thread stops observing leaves it observed by one and by nobody else")
    func observingCrossesUnobservingOfOneKey() throws {
        let rounds = 20_000
        let counter = Counter()
        let observations = SharedObservationController(observer: observer)
        let gate = Meeting(parties: 2)
        let (calls, wrong, ends, added) = (Tally(), Tally(), Tally(), Tally())
        try Threads.run(2) { thread in
            for round in 0..<rounds {
                if thread == 0 {
                    let result = observations.observe(
                        counter, \.count, options: .new, on: .anyThread { _, _, _ in calls.add() }, onTermination: { _ in ends.add() })
                    if result == .added { added.add() }
                }
                gate.pass()
                // One asks again while the other removes what was there.
                if thread == 0 {
                    let result = observations.observe(
                        counter, \.count, options: .new, on: .anyThread { _, _, _ in calls.add() }, onTermination: { _ in ends.add() })
                    if result == .added { added.add() }
                } else if observations.unobserve(counter, \.count) != 1 {
                    wrong.add()
                }
                gate.pass()
                guard thread == 0 else { continue }
                // What is said to be there is there, and what is not is not.
                let (before, count) = (calls.total, added.total - ends.total)
                counter.count = round
                if calls.total - before != count || counter.observationRecords.observers != count || !(0...1).contains(count) {
                    wrong.add()
                }
                observations.unobserve(counter)
            }
        }
        Figures.shared.add(operations: 4 * rounds)
        #expect(wrong.total == 0)
        #expect(added.total == ends.total)
    }

    @Test("Rule 33: a registration that is freed while a change is on its way to it is not called, and nothing of it is touched")
    func aLateCallbackForAFreedRegistration() throws {
        let rounds = 20_000
        let counter = Counter()
        let (first, second) = (SharedObservationController(observer: observer), SharedObservationController(observer: observer))
        let gate = Meeting(parties: 2)
        let tracker = LifetimeTracker()
        let (late, reached) = (Tally(), Shared(false))
        // The change stands in the first handler while the second is removed on another thread.
        first.observe(
            counter, \.count, options: .new,
            on: .anyThread { _, _, _ in
                if reached.exchange(true) { return }
                gate.pass()
                gate.pass()
            })
        try Threads.run(2) { thread in
            for round in 0..<rounds {
                if thread == 0 {
                    let capture = round.isMultiple(of: 100) ? tracker.track(SharedViewer()) : SharedViewer()
                    second.observe(
                        counter, \.count, options: .new,
                        on: .anyThread { _, _, _ in
                            withExtendedLifetime(capture) { late.add() }
                        })
                    _ = reached.exchange(false)
                    counter.count = round
                } else {
                    gate.pass()
                    second.unobserve(counter)
                    gate.pass()
                }
            }
        }
        Figures.shared.add(operations: 3 * rounds)
        #expect(late.total == 0)
        #expect(counter.observationRecords.observers == 1)
        first.unobserveAll()
        try tracker.expectAllGone()
    }

    /// Has a middle that threads replace.
    private final class Hub: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the property is atomic.
        @AtomicObserved var middle: Counter?
    }
}
