/// What was measured once a second, and whether it has grown.
public struct Series: Sendable {
    /// The name of what is measured.
    public let name: String
    /// What is added to a printed value.
    public let unit: String
    /// By how much the last quarter may be above the second.
    public let margin: Int
    /// The measured values, in order.
    public private(set) var values: [Int] = []

    /// Makes an empty series.
    public init(_ name: String, unit: String, margin: Int) {
        self.name = name
        self.unit = unit
        self.margin = margin
    }

    /// Adds a value.
    public mutating func append(_ value: Int) { values.append(value) }

    /// By how much the median of the last quarter is above that of the second quarter; `nil` if there are too few values.
    ///
    /// The first quarter does not count: there, tables and pools grow to their size.
    public var growth: Int? {
        let quarter = values.count / 4
        if quarter < 3 { return nil }
        return Self.median(values[(values.count - quarter)...]) - Self.median(values[quarter..<(2 * quarter)])
    }

    /// `true` if the values do not grow: the median of the last quarter is above that of the second by no more than the margin.
    public var isFlat: Bool { growth.map { $0 <= margin } ?? false }

    /// The medians of the four quarters.
    public var quarters: [Int] {
        let quarter = values.count / 4
        if quarter == 0 { return [] }
        return (0..<4).map { Self.median(values[($0 * quarter)..<(($0 + 1) * quarter)]) }
    }

    private static func median(_ values: ArraySlice<Int>) -> Int { values.sorted()[values.count / 2] }
}
