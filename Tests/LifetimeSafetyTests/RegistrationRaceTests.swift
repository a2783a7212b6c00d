import Foundation
import SafeKVO
import TestSupport
import Testing

/// Rule 36: registering beside unregistering, on one key path of one object, leaves nobody deaf who comes later.
///
/// SAFEKVO_RACE_ROUNDS says how many rounds there are of each kind.
@Suite struct RegistrationRaceTests {
    static let rounds = ProcessInfo.processInfo.environment["SAFEKVO_RACE_ROUNDS"].flatMap { Int($0) } ?? 1000

    final class Part: KeyValueObject {
        @Observed var level = 0
    }

    /// One thread changes it, the other never reads it.
    final class Whole: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread reads and writes its properties; the others only remove observations.
        @Observed var first = 0
        @Observed var second = 0
        @Observed var part = Part()
        var sum: Int { first + second }

        func change() {
            first &+= 1
            part.level &+= 1
        }
    }

    enum Path: String, CaseIterable, Sendable {
        case computed, nested, entire

        /// Begins to observe an object, and counts the calls.
        func observe(_ whole: Whole, by observations: SharedObservationController<SharedViewer>, _ calls: Tally) {
            switch self {
            case .computed: observations.observe(whole, \.sum, options: .new, on: .anyThread { _, _, _ in calls.add() })
            case .nested: observations.observe(whole, \.part.level, options: .new, on: .anyThread { _, _, _ in calls.add() })
            case .entire: observations.observe(whole, \.self, options: [], on: .anyThread { _, _, _ in calls.add() })
            }
        }
    }

    @Test(
        "Rule 36: one thread observes while another removes all, and whoever comes later hears a change", arguments: Path.allCases,
        [false, true])
    func nobodyIsLeftDeaf(path: Path, retaining: Bool) throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("registering beside unregistering: \(path), retaining \(retaining), seed \(seed)")
        let (whole, viewer) = (Whole(), SharedViewer())
        let observations = SharedObservationController(observer: viewer, retainsObserved: retaining)
        let (isOver, deaf) = (Shared(false), Shared<Int?>(nil))
        try Threads.run(2) { thread in
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            if thread == 1 {
                while !isOver.current {
                    observations.unobserveAll()
                    Self.dawdle(&random)
                }
                return
            }
            for round in 1...Self.rounds {
                path.observe(whole, by: observations, Tally())
                Self.dawdle(&random)
                observations.unobserveAll()
                let calls = Tally()
                let later = SharedObservationController(observer: viewer, retainsObserved: retaining)
                path.observe(whole, by: later, calls)
                whole.change()
                if calls.total > 0 { continue }
                _ = deaf.exchange(round)
                break
            }
            _ = isOver.exchange(true)
        }
        Figures.shared.add(operations: Self.rounds * 4)
        #expect(deaf.current == nil, "the round after which a new observer heard nothing")
    }

    /// Does nothing for a little while that is never the same.
    private static func dawdle(_ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 0..<64, using: &random) { _ = random.next() }
    }
}
