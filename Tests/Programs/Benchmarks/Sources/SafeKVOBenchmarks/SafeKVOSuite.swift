public import BenchmarkKit

/// SafeKVO, used from another module as a program uses it.
public enum SafeKVOSuite {
    /// The view model.
    private static var viewModel: [Benchmark] { PlayerRows(Player.self).all { $0.rawValue }.map(\.0) }

    /// All rows.
    public static var benchmarks: [Benchmark] {
        (unobserved + oneObserver + keyPaths + manyObservers + batches + collections + comingAndGoing + memory + threads + atomic
            + contention
            + isolation + events + viewModel)
            // A row without a case is only there to be compared with.
            .map { $0.by(.safeKVO, Case(rawValue: $0.name).map { [$0] } ?? []) }
    }
}
