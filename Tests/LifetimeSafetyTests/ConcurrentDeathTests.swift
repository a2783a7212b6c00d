import SafeKVO
import SafeKVOTesting
import Testing

/// Rules 32 to 36: last references dropped on one thread while another delivers.
@Suite struct ConcurrentDeathTests {
    /// One round's worth of an observation, shared by two threads.
    struct Scene: Sendable {
        var subject: Counter?
        var observer: SharedViewer?
        var observations: SharedObservationController<SharedViewer>?
    }

    enum Victim: String, CaseIterable, Sendable {
        case observer, controller, subject
    }

    @Test(
        "Rules 32 and 33: a last reference may be dropped on another thread during a delivery", arguments: Victim.allCases, [true, false])
    func aLastReferenceMayBeDroppedDuringADelivery(victim: Victim, retaining: Bool) throws {
        let rounds = 3000
        let scene = Shared(Scene())
        let gate = Meeting(parties: 2)
        let tracker = LifetimeTracker()
        let (ends, late, calls) = (Tally(), Tally(), Tally())
        try Threads.run(2) { thread in
            for round in 0..<rounds {
                if thread == 0 {
                    _ = scene.exchange(
                        Self.makeScene(
                            round.isMultiple(of: 100) ? tracker : nil, retaining: retaining, ends: ends, late: late, calls: calls))
                }
                gate.pass()
                if thread == 0 {
                    for value in 1...5 {
                        // The subject may be gone already.
                        let subject = scene.with { $0.subject }
                        subject?.count = value
                    }
                } else {
                    // What is taken out is released here, at the end of the branch.
                    switch victim {
                    case .observer: _ = scene.with { $0.observer.take() }
                    case .controller: _ = scene.with { $0.observations.take() }
                    case .subject: _ = scene.with { $0.subject.take() }
                    }
                }
                gate.pass()
            }
        }
        _ = scene.exchange(Scene())
        #expect(late.total == 0)
        #expect(ends.total == rounds)
        #expect(calls.total <= 5 * rounds)
        try tracker.expectAllGone()
    }

    private static func makeScene(
        _ tracker: LifetimeTracker?, retaining: Bool, ends: Tally, late: Tally, calls: Tally
    ) -> Scene {
        let (subject, observer) = (Counter(), SharedViewer())
        let observations = SharedObservationController(observer: observer, retainsObserved: retaining)
        let (ended, capture) = (Shared(false), SharedViewer())
        if let tracker {
            _ = tracker.track(subject)
            _ = tracker.track(observer)
            _ = tracker.track(observations)
            _ = tracker.track(capture)
        }
        observations.observe(
            subject, \.count, options: .new,
            on: .anyThread { _, _, _ in
                if ended.current { late.add() }
                calls.add()
                withExtendedLifetime(capture) {}
            },
            onTermination: { _ in
                if ended.exchange(true) { late.add() }
                ends.add()
            })
        return Scene(subject: subject, observer: observer, observations: observations)
    }

    @Test("Rule 35: an automatic controller may be used first by eight threads at once")
    func anAutomaticControllerMayBeUsedFirstByManyThreads() throws {
        final class Reader: SharedObserver {
            let observationSlot = SharedObservationSlot()
        }
        let reader = Shared(Reader())
        let counter = Counter()
        let gate = Meeting(parties: 8)
        let (added, calls) = (Tally(), Tally())
        let tracker = LifetimeTracker()
        try Threads.run(8) { thread in
            for round in 0..<300 {
                if thread == 0 { _ = reader.exchange(tracker.track(Reader())) }
                gate.pass()
                let mine = reader.current
                let observations = thread.isMultiple(of: 2) ? mine.observations : mine.nonRetainingObservations
                let result = observations.observe(counter, \.count, options: .new, on: .anyThread { _, _, _ in calls.add() })
                if result == .added { added.add() }
                gate.pass()
                if thread == 0 { counter.count = round }
                gate.pass()
            }
        }
        #expect(added.total == 2 * 300)
        #expect(calls.total == 2 * 300)
        _ = reader.exchange(Reader())
        try tracker.expectAllGone()
    }

    @Test("Rule 36: a controller may be invalidated while others observe with it; nothing is left")
    func aControllerMayBeInvalidatedWhileOthersObserve() throws {
        let observer = SharedViewer()
        let gate = Meeting(parties: 3)
        let controller = Shared(SharedObservationController(observer: observer))
        let (added, ends, calls) = (Tally(), Tally(), Tally())
        let counter = Counter()
        try Threads.run(3) { thread in
            for _ in 0..<1500 {
                if thread == 0 { _ = controller.exchange(SharedObservationController(observer: observer)) }
                gate.pass()
                let observations = controller.current
                if thread == 0 {
                    observations.invalidate()
                } else {
                    for tag in 0..<3 {
                        let result = observations.observe(
                            counter, \.count, options: [.initial, .new], tag: "\(thread) \(tag)", on: .anyThread { _, _, _ in },
                            onTermination: { reason in if reason == .controllerInvalidated { ends.add() } })
                        if result == .added { added.add() }
                    }
                }
                gate.pass()
                if thread == 0 {
                    let before = observations.counters.delivered
                    counter.count &+= 1
                    calls.add(Int(observations.counters.delivered - before))
                }
                gate.pass()
            }
        }
        #expect(calls.total == 0)
        #expect(added.total == ends.total)
    }

    @Test("Rule 32: subjects die on one thread while another removes them and a third changes them")
    func subjectsDieWhileOthersUseTheController() throws {
        let rounds = 3000
        let observer = SharedViewer()
        let observations = SharedObservationController(observer: observer, retainsObserved: false)
        let subject = Shared<Counter?>(nil)
        let gate = Meeting(parties: 3)
        let (ends, removed) = (Tally(), Tally())
        let tracker = LifetimeTracker()
        try Threads.run(3) { thread in
            for round in 0..<rounds {
                if thread == 0 {
                    let counter = round.isMultiple(of: 100) ? tracker.track(Counter()) : Counter()
                    observations.observe(
                        counter, \.count, options: .new, on: .anyThread { _, _, _ in }, onTermination: { _ in ends.add() })
                    _ = subject.exchange(counter)
                }
                gate.pass()
                switch thread {
                case 0: _ = subject.exchange(nil)
                case 1: removed.add(observations.unobserveAll())
                default:
                    let counter = subject.current
                    counter?.count = round
                }
                gate.pass()
            }
        }
        #expect(ends.total == rounds)
        #expect(removed.total <= rounds)
        #expect(observations.unobserveAll() == 0)
        try tracker.expectAllGone()
    }
}
