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
    /// - Returns: the figures by the names of their rows.
    public func run(_ benchmarks: [Benchmark], progress: (String) -> Void) -> [String: Quartiles] {
        Self.keepSecondThread()
        let samplers = benchmarks.map { ($0, $0.makeSampler()) }
        var samples: [String: [Double]] = [:]
        for round in 0..<rounds {
            progress("round \(round + 1) of \(rounds)")
            // There and back, so that no row is always measured after the same one.
            let order = round.isMultiple(of: 2) ? samplers : samplers.reversed()
            for (benchmark, sample) in order where round < benchmark.maximalRounds {
                samples[benchmark.name, default: []].append(sample())
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
