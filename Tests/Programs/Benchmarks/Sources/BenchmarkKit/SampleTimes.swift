/// How long the samples of a run take, from which follows how long the rest of the run takes.
struct SampleTimes {
    private struct Entry {
        /// How many samples are left.
        var left: Int
        /// How long the last sample took.
        var seconds: Double?
    }

    private var entries: [String: Entry]

    init(_ benchmarks: [Benchmark], rounds: Int) {
        entries = Dictionary(benchmarks.map { ($0.name, Entry(left: min(rounds, $0.maximalRounds))) }) { first, _ in first }
    }

    /// Notes a sample.
    mutating func add(_ benchmark: Benchmark, seconds: Double) {
        entries[benchmark.name]?.left -= 1
        entries[benchmark.name]?.seconds = seconds
    }

    /// An estimate: a row that has no sample yet is expected to take the mean time of the others.
    ///
    /// It is nil until there is a sample.
    var secondsLeft: Double? {
        let known = entries.values.compactMap(\.seconds)
        guard !known.isEmpty else { return nil }
        let mean = known.reduce(0, +) / Double(known.count)
        return entries.values.reduce(0) { $0 + Double($1.left) * ($1.seconds ?? mean) }
    }
}
