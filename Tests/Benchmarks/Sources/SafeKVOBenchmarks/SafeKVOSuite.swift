public import BenchmarkKit

/// SafeKVO, used from another module as a program uses it.
public enum SafeKVOSuite {
    /// All rows.
    public static var benchmarks: [Benchmark] {
        unobserved + oneObserver + keyPaths + collections + manyObservers + comingAndGoing + memory + threads + isolation + events
    }
}
