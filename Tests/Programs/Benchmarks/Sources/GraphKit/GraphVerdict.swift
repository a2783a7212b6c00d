import BenchmarkKit

/// The failures of a check: wrong values, and counts that nobody explains.
public struct GraphVerdict {
    /// A line each.
    public let failures: [String]

    /// Judges a run.
    public init(_ report: GraphReport) {
        failures = report.rows.compactMap { row in
            let name = "\(row.contender.name): \(row.shape.rawValue)"
            if row.cannot != nil { return nil }
            guard let counts = row.counts else { return "wrong: \(name): a handler was told something else than a plain computation gives" }
            if counts == row.expected || row.because != nil { return nil }
            return "unexplained: \(name): \(counts.text), expected \(row.expected.text), and Thresholds/graphs.json has no reason for that"
        }
    }
}
