/// What was measured in one row, before it is compared with anything.
public struct Figure: Sendable, Codable {
    /// The row.
    public let name: String
    /// Whose row it is.
    public let contender: Contender
    /// What it answers.
    public let cases: [Case]
    /// What the numbers count.
    public let unit: Unit
    /// The median of all samples.
    public let median: Double
    /// A quarter of the samples lies below.
    public let lower: Double
    /// A quarter of the samples lies above.
    public let upper: Double

    /// Takes what was measured, in thousandths: more are only noise.
    public init(_ benchmark: Benchmark, _ quartiles: Quartiles) {
        func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
        name = benchmark.name
        contender = benchmark.contender
        cases = benchmark.cases
        unit = benchmark.unit
        median = rounded(quartiles.median)
        lower = rounded(quartiles.lower)
        upper = rounded(quartiles.upper)
    }

    /// The better of two figures that count the same.
    func isBetter(than other: Figure) -> Bool {
        unit.isMoreBetter ? median > other.median : median < other.median
    }
}
