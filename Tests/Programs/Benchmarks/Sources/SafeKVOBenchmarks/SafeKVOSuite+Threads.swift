import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    private static let passes = 100_000

    /// What two threads do together, each with a subject and an observer of its own.
    static var threads: [Benchmark] {
        [
            .value("two threads, two subjects", .times, rounds: .max) {
                Threads.run(setUp: work).wallRatio
            },
            .value("two threads, two subjects, by processor time", .times, rounds: .max) {
                Threads.run(setUp: work).cpuRatio
            },
            .value("two threads, one subject: each set", .nanoseconds, rounds: .max) {
                let (model, arrivals) = (SharedModel(), Arrivals())
                let observing = ObservationController(observer: arrivals)
                observing.observe(model, \.first, options: .new, on: .anyThread { arrivals, _, _ in arrivals.note() })
                return withExtendedLifetime(observing) { Threads.eachOfTwo(passes: 100_000) { consume(model.set(passes: $0)) } }
            },
        ]
    }

    @Sendable
    private static func work() -> () -> Int {
        let observed = ObservedModel(observers: 1)
        consume(observed.set(passes: passes / 8))
        return { observed.set(passes: passes) }
    }
}
