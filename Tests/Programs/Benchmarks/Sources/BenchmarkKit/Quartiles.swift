/// The middle of some samples, and how far the middle half of them spreads.
public struct Quartiles: Sendable {
    /// A quarter of the samples lies below.
    public let lower: Double
    /// Half of the samples lies below.
    public let median: Double
    /// A quarter of the samples lies above.
    public let upper: Double

    /// Sorts samples; there must be one at least.
    init(_ samples: [Double]) {
        let sorted = samples.sorted()
        func quantile(_ part: Double) -> Double {
            let position = part * Double(sorted.count - 1)
            let below = sorted[Int(position)]
            let above = sorted[min(Int(position) + 1, sorted.count - 1)]
            return below + (above - below) * (position - position.rounded(.down))
        }
        lower = quantile(0.25)
        median = quantile(0.5)
        upper = quantile(0.75)
    }
}
