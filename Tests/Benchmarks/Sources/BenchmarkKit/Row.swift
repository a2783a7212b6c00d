/// One row of the table, measured and compared.
public struct Row: Sendable, Encodable {
    /// What was measured.
    public let name: String
    /// What the figures count.
    public let unit: Unit
    /// The median of all samples.
    public let median: Double
    /// A quarter of the samples lies below.
    public let lower: Double
    /// A quarter of the samples lies above.
    public let upper: Double
    /// The row that this one is compared with.
    public let limit: String?
    /// How many times as much as the limit row.
    public let ratio: Double?
    /// The budget in words.
    public let budget: String?
    /// Whether the budget is met; absent without a budget.
    public let isMet: Bool?

    /// Compares the figures of a benchmark.
    public init(_ benchmark: Benchmark, _ figures: Quartiles, _ threshold: Threshold?, limit limitFigures: Quartiles?) {
        name = benchmark.name
        unit = benchmark.unit
        median = figures.median
        lower = figures.lower
        upper = figures.upper
        limit = threshold?.limit
        let ratio = limitFigures.map { figures.median / $0.median }
        self.ratio = ratio
        switch threshold?.budget {
        case .atMostTimes(let factor):
            budget = "≤ \(factor.shortest) times"
            isMet = ratio.map { $0 <= factor }
        case .atMost(let bound):
            budget = "≤ \(bound.shortest) \(unit.rawValue)"
            isMet = figures.median <= bound
        case .atLeast(let bound):
            budget = "≥ \(bound.shortest) \(unit.rawValue)"
            isMet = figures.median >= bound
        case nil:
            budget = nil
            isMet = nil
        }
    }
}

extension Double {
    /// Without decimals where there are none.
    fileprivate var shortest: String {
        self == rounded() ? String(Int(self)) : String(self)
    }
}
