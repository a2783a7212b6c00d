import Foundation

/// Takes samples of benchmarks in turn, round after round, so that what happens to the machine meanwhile happens to all of them.
public struct Runner {
    /// How many samples a row has, unless it needs fewer.
    let rounds: Int

    /// Makes a runner.
    public init(rounds: Int) {
        self.rounds = rounds
    }

    /// Measures.
    ///
    /// - Parameters:
    ///   - benchmarks: What to measure.
    ///   - progress: Called before each sample.
    /// - Returns: the figures by the names of their rows.
    public func run(_ benchmarks: [Benchmark], progress: (RunProgress) -> Void) -> [String: Quartiles] {
        Self.keepSecondThread()
        let samplers = benchmarks.map { ($0, $0.makeSampler()) }
        var samples: [String: [Double]] = [:]
        var times = SampleTimes(benchmarks, rounds: rounds)
        for round in 0..<rounds {
            // There and back, so that no row is always measured after the same one.
            let order = (round.isMultiple(of: 2) ? samplers : samplers.reversed()).filter { round < $0.0.maximalRounds }
            for (index, (benchmark, sample)) in order.enumerated() {
                progress(
                    RunProgress(
                        row: index + 1, rows: order.count, round: round + 1, rounds: rounds, name: benchmark.name,
                        secondsLeft: times.secondsLeft))
                let start = Clock.wallTime()
                samples[benchmark.name, default: []].append(sample())
                times.add(benchmark, seconds: (Clock.wallTime() - start) / 1e9)
            }
        }
        return samples.mapValues { Quartiles($0) }
    }

    /// Starts a thread that does nothing, and waits until it is there: what it allocates comes first.
    ///
    /// With one thread only, parts of the C library take shortcuts that no real program has.
    public static func keepSecondThread() {
        let isThere = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            isThere.signal()
            while true { sleep(1000) }
        }
        isThere.wait()
    }
}
