import BenchmarkKit

/// One contender's figures for one shape.
public struct GraphRow: Sendable, Codable {
    /// Nanoseconds of one write, or of one creation.
    struct Time: Codable {
        let median: Double
        let lower: Double
        let upper: Double

        init(_ quartiles: Quartiles) {
            func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
            median = rounded(quartiles.median)
            lower = rounded(quartiles.lower)
            upper = rounded(quartiles.upper)
        }
    }

    /// The graph that is built.
    let shape: GraphShape
    /// The one who builds it.
    let contender: Contender
    /// The counts of the counted pass; nil if a handler was told something wrong.
    let counts: GraphCounts?
    /// The counts of a contender that does nothing in vain.
    let expected: GraphCounts
    /// Why something else was counted, where that is known.
    let because: String?
    /// Why it cannot be built.
    let cannot: String?
    /// The time, if it was measured.
    var time: Time?

    /// Counts.
    init(_ contender: GraphContender, _ shape: GraphShape, _ reasons: [GraphReason]) {
        self.shape = shape
        self.contender = contender.contender
        expected = shape.expected
        cannot = contender.refusal(shape)
        let counts = cannot == nil ? contender.count(shape) : nil
        self.counts = counts
        because = reasons.first { $0.contender == contender.contender && $0.counts[shape] == counts && counts != nil }?.because
    }
}
