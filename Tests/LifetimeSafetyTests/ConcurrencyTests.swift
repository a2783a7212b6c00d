import Foundation
import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Rules 36 to 39: exact counts with several threads.
@Suite struct ConcurrencyTests {
    let observer = SharedViewer()

    @Test("Rule 37: n writes are n calls, and each pair of values belongs to one write")
    func nWritesAreNCalls() throws {
        let counter = Counter()
        let observations = SharedObservationController(observer: observer)
        let pairs = EventLog<[Int]>()
        observations.observe(
            counter, \.count, options: [.old, .new],
            on: .anyThread { _, _, change in
                pairs.append([change.oldValue ?? -1, change.newValue ?? -1])
            })
        // Every write is a number of its own, so the pairs are a chain that can be followed.
        try Threads.run(4) { thread in
            for write in 1...5000 { counter.count = thread * 5000 + write }
        }
        let calls = pairs.removeAll()
        #expect(calls.count == 20_000)
        #expect(observations.counters == ObservationCounters(delivered: 20_000))
        var next: [Int: Int] = [:]
        for pair in calls { next[pair[0]] = pair[1] }
        #expect(next.count == 20_000)
        var (value, length) = (0, 0)
        while let following = next.removeValue(forKey: value) {
            value = following
            length += 1
        }
        #expect(length == 20_000)
        #expect(value == counter.count)
    }

    @Test("Rule 36: updates of an atomic property lose nothing and tell each step")
    func updatesLoseNothing() throws {
        let counter = Counter()
        let observations = SharedObservationController(observer: observer)
        let steps = EventLog<[Int]>()
        observations.observe(
            counter, \.count, options: [.old, .new],
            on: .anyThread { _, _, change in
                steps.append([change.oldValue ?? -1, change.newValue ?? -1])
            })
        try Threads.run(4) { _ in
            for _ in 0..<2500 { counter.$count.update { $0 += 1 } }
        }
        #expect(counter.count == 10_000)
        #expect(steps.removeAll().sorted { $0[0] < $1[0] } == (0..<10_000).map { [$0, $0 + 1] })
    }

    @Test("Rules 11a, 38: the last value seen is the last one written, and no value comes after a newer one")
    func theLastValueSeenIsTheLastWritten() throws {
        let (rounds, writes) = (2000, 100)
        let counter = Shared(Counter())
        let gate = Meeting(parties: 2)
        let failures = EventLog<String>()
        let raced = Tally()
        try Threads.run(2) { [observer] thread in
            for round in 0..<rounds {
                if thread == 0 { _ = counter.exchange(Counter()) }
                let seen = EventLog<Int>()
                let observations = SharedObservationController(observer: observer)
                gate.pass()
                let subject = counter.current
                gate.pass()
                if thread == 0 {
                    for value in 1...writes { subject.count = value }
                } else {
                    observations.observe(subject, \.count, on: .anyThread { _, value in seen.append(value) })
                }
                gate.pass()
                guard thread == 1 else { continue }
                let values = seen.events
                // Of the values that arrive during the initial call only the newest is handed over, and none that is older than the initial one.
                let ascends = zip(values, values.dropFirst()).allSatisfy { $0 <= $1 }
                if values.last != writes || !ascends { failures.append("round \(round): \(values)") }
                if values.first != 0, values.first != writes { raced.add() }
            }
        }
        #expect(failures.events.first == nil)
        print("registered between two writes: \(raced.total) of \(rounds) times")
    }

    @Test("Rules 39 and 49: after a removal and the running calls there is no call", arguments: [false, true])
    func afterARemovalThereIsNoCall(initial: Bool) throws {
        let rounds = 20_000
        let counter = Counter()
        let observations = SharedObservationController(observer: observer)
        let stop = Shared(false)
        let gate = Meeting(parties: 2)
        let (late, ends, calls) = (Tally(), Tally(), Tally())
        let results = EventLog<String>()
        try Threads.run(2) { thread in
            if thread == 0 {
                // The initial form must not be flooded: see the next test.
                if initial {
                    for _ in 0..<rounds {
                        gate.pass()
                        for _ in 0..<10 { counter.$count.update { $0 &+= 1 } }
                    }
                } else {
                    while !stop.current { counter.$count.update { $0 &+= 1 } }
                }
                return
            }
            for round in 0..<rounds {
                if initial { gate.pass() }
                let ended = Shared(false)
                let added = observations.observe(
                    counter, \.count, options: initial ? [.initial, .new] : .new,
                    on: .anyThread { _, _, _ in
                        if ended.current { late.add() }
                        calls.add()
                    },
                    onTermination: { reason in
                        if ended.exchange(true) || reason != .removed { late.add() }
                        ends.add()
                    })
                let removed = observations.unobserve(counter, \.count)
                if added != .added || removed != 1 { results.append("round \(round): \(added), \(removed)") }
            }
            _ = stop.exchange(true)
        }
        #expect(results.events.isEmpty)
        #expect(late.total == 0)
        #expect(ends.total == rounds)
        #expect(observations.counters == ObservationCounters(delivered: UInt64(calls.total)))
    }

    @Test("Rule 36: observing with an initial call returns although another thread goes on writing, no faster than the calls are made")
    func observingReturnsThoughAnotherThreadGoesOnWriting() throws {
        let limit = 20_000
        let counter = Counter()
        let observations = SharedObservationController(observer: observer)
        let (begun, returned) = (Shared(false), Shared(false))
        let (writes, calls) = (Tally(), Tally())
        try Threads.run(2) { thread in
            if thread == 0 {
                while !begun.current { sched_yield() }
                while !returned.current, writes.total < limit {
                    counter.count = writes.total
                    writes.add()
                    // Whatever the scheduler does, one change waits at most, once those of the initial call have been handed over.
                    while writes.total > 100, calls.total < writes.total, !returned.current { sched_yield() }
                }
            } else {
                // The initial call lasts until a hundred changes wait.
                observations.observe(
                    counter, \.count, options: [.initial, .new],
                    on: .anyThread { _, _, change in
                        if change.isInitial { _ = begun.exchange(true) } else { calls.add() }
                        while change.isInitial, writes.total < 100 { sched_yield() }
                    })
                _ = returned.exchange(true)
            }
        }
        print("\(writes.total) writes until observe returned")
        #expect(writes.total >= 100)
        #expect(writes.total < limit)
    }

    @Test("Rule 36: of two threads that remove one observation, one is told that it did", arguments: ["key path", "object", "all"])
    func ofTwoThreadsThatRemoveOneDoes(way: String) throws {
        let counter = Counter()
        let observations = SharedObservationController(observer: observer)
        let gate = Meeting(parties: 2)
        let (ends, removed) = (Tally(), Shared([0, 0]))
        let failures = EventLog<String>()
        try Threads.run(2) { thread in
            for round in 0..<2000 {
                if thread == 0 {
                    observations.observe(
                        counter, \.count, options: .new, on: .anyThread { _, _, _ in }, onTermination: { _ in ends.add() })
                }
                gate.pass()
                let count =
                    switch (way, thread) {
                    case ("key path", _): observations.unobserve(counter, \.count)
                    case ("object", 0): observations.unobserve(counter)
                    case ("object", _): observations.unobserve(counter, \.count)
                    case (_, 0): observations.unobserveAll()
                    default: observations.unobserveEach(counter, [\.count])
                    }
                removed.with { $0[thread] = count }
                gate.pass()
                if thread == 0, removed.current.reduce(0, +) != 1 { failures.append("round \(round): \(removed.current)") }
                gate.pass()
            }
        }
        #expect(failures.events.isEmpty)
        #expect(ends.total == 2000)
        #expect(observations.counters.ignoredRemoves == 2000)
    }

    @Test("Rule 36: of two threads that add one observation, one is told that it did")
    func ofTwoThreadsThatAddOneDoes() throws {
        let counter = Counter()
        let observations = SharedObservationController(observer: observer)
        let gate = Meeting(parties: 2)
        let (results, calls) = (Shared<[ObservationResult?]>([nil, nil]), Tally())
        let failures = EventLog<String>()
        try Threads.run(2) { thread in
            for round in 0..<2000 {
                gate.pass()
                let result = observations.observe(counter, \.count, options: .new, on: .anyThread { _, _, _ in calls.add() })
                results.with { $0[thread] = result }
                gate.pass()
                if thread == 0 {
                    let both = results.current
                    if both != [.added, .alreadyObserved], both != [.alreadyObserved, .added] {
                        failures.append("round \(round): \(both)")
                    }
                    counter.count = round
                    if observations.unobserve(counter) != 1 { failures.append("round \(round): not removed") }
                }
                gate.pass()
            }
        }
        #expect(failures.events.isEmpty)
        #expect(calls.total == 2000)
    }

    @Test("Rule 36: observing, removing and replacing cross on many threads, and the books balance")
    func observingCrossesUnobserving() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        let counters = (0..<3).map { _ in Counter() }
        let observations = SharedObservationController(observer: observer)
        let (added, removed, replaced, ends, replacedEnds) = (
            Tally(), Tally(), Tally(), Tally(), Tally()
        )
        try Threads.run(4) { thread in
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            for _ in 0..<4000 {
                let counter = counters[Int.random(in: 0..<3, using: &random)]
                switch Int.random(in: 0..<8, using: &random) {
                case 0...3:
                    let result = observations.observe(
                        counter, \.count, options: [.initial, .new], tag: Bool.random(using: &random) ? "x" : nil,
                        ifAlreadyObserved: Bool.random(using: &random) ? .replace : .ignore, on: .anyThread { _, _, _ in },
                        onTermination: { reason in
                            ends.add()
                            if reason == .replaced { replacedEnds.add() }
                        })
                    if result == .added { added.add() }
                    if result == .replaced { replaced.add() }
                case 4: removed.add(observations.unobserve(counter, \.count))
                case 5: removed.add(observations.unobserve(counter))
                case 6 where Int.random(in: 0..<20, using: &random) == 0:
                    removed.add(observations.unobserveAll())
                default: counter.$count.update { $0 &+= 1 }
                }
            }
        }
        removed.add(observations.unobserveAll())
        #expect(added.total == removed.total)
        #expect(replaced.total == replacedEnds.total)
        #expect(ends.total == removed.total + replaced.total)
        // Nothing is left in the lists either.
        let before = observations.counters.delivered
        for counter in counters { counter.count = -1 }
        #expect(observations.counters.delivered == before)
    }

    @Test("Rule 36: observers on crossing subjects never deadlock")
    func crossingSubjectsNeverDeadlock() throws {
        let subjects = [Counter(), Counter()]
        let observations = SharedObservationController(observer: observer, retainsObserved: false)
        let (calls, limit) = (Tally(), 4)
        for (index, subject) in subjects.enumerated() {
            let other = subjects[1 - index]
            // The value is how deep the change is nested.
            observations.observe(
                subject, \.count, options: .new,
                on: .anyThread { _, _, change in
                    calls.add()
                    if let depth = change.newValue, depth < limit { other.count = depth + 1 }
                })
        }
        try Threads.run(2) { thread in
            for _ in 0..<2000 { subjects[thread].count = 1 }
        }
        #expect(calls.total == 2 * 2000 * limit)
        observations.unobserveAll()
    }

    @Test("Rule 36: no lock is held during a call: handlers of two subjects may be inside each other's subject at once")
    func handlersOfTwoSubjectsMeet() throws {
        final class Twin: KeyValueObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) the properties are atomic.
            @AtomicObserved var call = 0
            @AtomicObserved var answer = 0
        }
        let twins = [Twin(), Twin()]
        let observations = SharedObservationController(observer: observer, retainsObserved: false)
        let (gate, answers) = (Meeting(parties: 2), Tally())
        for (index, twin) in twins.enumerated() {
            let other = twins[1 - index]
            observations.observe(twin, \.answer, options: .new, on: .anyThread { _, _, _ in answers.add() })
            observations.observe(
                twin, \.call, options: .new,
                on: .anyThread { _, _, change in
                    // Both threads stand in a handler before either goes on.
                    gate.pass()
                    other.answer = change.newValue ?? 0
                })
        }
        try Threads.run(2) { thread in
            for round in 0..<500 { twins[thread].call = round }
        }
        #expect(answers.total == 1000)
    }
}
