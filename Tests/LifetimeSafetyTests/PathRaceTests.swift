import SafeKVO
import Synchronization
import Testing

/// Rule 38, for paths: the last value that an observer hears is the last one written, whoever begins to observe at the same time.
@Suite struct PathRaceTests {
    final class Pair: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the properties are atomic.
        @AtomicObserved var x = 0
        @AtomicObserved var y = 0
        @AtomicObserved var next: Pair?
        var sum: Int { x + y }
    }

    final class Registrant: Sendable {
        let last = Atomic<Int>(-1)
        func note(_ value: Int) { last.store(value, ordering: .releasing) }
    }

    /// One round: some register while one writes.
    private func race(_ keyPath: KeyPath<Pair, Int>, registrants count: Int, on subject: Pair, write: @escaping @Sendable () -> Void) throws
        -> [Int]
    {
        let registrants = (0..<count).map { _ in Registrant() }
        let controllers = registrants.map { SharedObservationController(observer: $0) }
        // SAFETY: (of the unchecked sendability) a key path to atomic properties.
        nonisolated(unsafe) let keyPath = keyPath
        try Threads.run(count + 1) { index in
            if index == count { return write() }
            controllers[index].observeOnce(subject, unsafe keyPath)
        }
        return registrants.map { $0.last.load(ordering: .acquiring) }
    }

    @Test("Rule 38: two that begin to observe a computed value beside a writer both hear the last value", arguments: [1, 2, 3])
    func registeringOnADerivedPath(registrants: Int) throws {
        for round in 1...2000 {
            let subject = Pair()
            let heard = try race(\.sum, registrants: registrants, on: subject) { subject.x = round }
            #expect(heard == Array(repeating: round, count: registrants), "round \(round)")
            if heard != Array(repeating: round, count: registrants) { return }
        }
    }

    @Test("Rule 38: so do those that register while others hear of the change before it is made")
    func registeringBesidePriorCalls() throws {
        let (listener, early) = (Registrant(), Registrant())
        for round in 1...2000 {
            let subject = Pair()
            let observations = SharedObservationController(observer: listener)
            let others = SharedObservationController(observer: early)
            observations.observe(subject, \.sum, options: [.prior, .old, .new], on: .anyThread { _, _, _ in })
            others.observe(subject, \.x, options: .prior, on: .anyThread { _, _, _ in })
            let heard = try race(\.sum, registrants: 2, on: subject) { subject.x = round }
            #expect(heard == [round, round], "round \(round)")
            if heard != [round, round] { return }
        }
    }
}

extension SharedObservationController where Observer == PathRaceTests.Registrant {
    fileprivate func observeOnce(_ subject: PathRaceTests.Pair, _ keyPath: KeyPath<PathRaceTests.Pair, Int>) {
        observe(subject, keyPath, on: .anyThread { registrant, value in registrant.note(value) })
    }
}
