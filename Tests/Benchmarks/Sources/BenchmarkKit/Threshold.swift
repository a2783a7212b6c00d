/// What a row is compared with, and what it may cost.
public struct Threshold: Sendable {
    /// The row that this one is compared with.
    public let limit: String?
    /// What it may cost; nil where the row only informs.
    public let budget: Budget?

    /// A bound of a figure.
    public enum Budget: Sendable {
        /// So many times the limit row, at most.
        case atMostTimes(Double)
        /// So many of the row's own unit, at most.
        case atMost(Double)
        /// So many of the row's own unit, at least.
        case atLeast(Double)
    }

    /// Compares a row with another.
    public init(limit: String? = nil, _ budget: Budget? = nil) {
        self.limit = limit
        self.budget = budget
    }
}
