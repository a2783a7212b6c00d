/// Another way to the same end: its rows, and why it has no others.
public struct Peer {
    /// Who it is.
    public let contender: Contender
    /// What it can do.
    public let benchmarks: [Benchmark]
    /// Why it cannot do the rest.
    public let refusals: [Refusal]

    /// Brings rows and reasons together: a row counts before a reason, and an earlier reason before a later one.
    ///
    /// - Parameters:
    ///   - contender: Who it is.
    ///   - benchmarks: What it can do.
    ///   - reasons: Why it cannot do the rest.
    public init(_ contender: Contender, _ benchmarks: [Benchmark], cannot reasons: [(reason: String, cases: [Case])]) {
        self.contender = contender
        self.benchmarks = benchmarks
        var answered = Set(benchmarks.flatMap(\.cases))
        var refusals: [Refusal] = []
        for (reason, cases) in reasons + [("the view model is written in four ways only", Case.viewModel)] {
            for benchmarked in cases where answered.insert(benchmarked).inserted {
                refusals.append(Refusal(contender: contender, benchmarked: benchmarked, reason: reason))
            }
        }
        self.refusals = refusals
    }

    /// The cases about which it says nothing: there must be none.
    public var unanswered: [Case] {
        let answered = Set(benchmarks.flatMap(\.cases) + refusals.map(\.benchmarked))
        return Case.allCases.filter { !answered.contains($0) }
    }
}
