import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    private static let passes = 100_000

    /// What two threads do together, each with a subject and an observer of its own.
    static var threads: [Benchmark] {
        [
            .value("two threads, two subjects", .times, rounds: .max) {
                ThreadPair.run(setUp: work).wallRatio
            },
            .value("two threads, two subjects, by processor time", .times, rounds: .max) {
                ThreadPair.run(setUp: work).cpuRatio
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
