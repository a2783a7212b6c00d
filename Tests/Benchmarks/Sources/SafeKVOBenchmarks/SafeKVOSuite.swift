public import BenchmarkKit

/// SafeKVO, used from another module as a program uses it.
public enum SafeKVOSuite {
    /// All rows.
    public static var benchmarks: [Benchmark] {
        (unobserved + oneObserver + keyPaths + manyObservers + batches + collections + comingAndGoing + memory + threads + isolation
            + events)
            // A row without a case is only there to be compared with.
            .map { $0.by(.safeKVO, Case(rawValue: $0.name).map { [$0] } ?? []) }
    }
}
