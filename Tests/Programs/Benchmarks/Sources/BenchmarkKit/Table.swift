/// Rows as text, in columns: limits, then SafeKVO's rows beside what they are compared with, then the peers.
public struct Table: CustomStringConvertible {
    private let rows: [Row]

    /// Makes a table.
    public init(_ rows: [Row]) {
        self.rows = rows
    }

    /// The table.
    public var description: String {
        let header = ["", "median", "", "quartiles", "ratio", "to", "budget", "", "ratio", "to the best peer", ""]
        return Columns(lines: [header] + rows.map { Self.cells($0) }, rightAligned: [1, 3, 4, 8]).description
    }

    private static func cells(_ row: Row) -> [String] {
        let figure = row.figure
        return [
            figure.name, figure.median.figureText, figure.unit.rawValue, "\(figure.lower.figureText) – \(figure.upper.figureText)",
            row.ratio?.figureText ?? "", row.limit ?? "", row.budget ?? "",
            row.isMet.map { $0 ? "met" : row.missed == nil ? "MISSED" : "missed: see below" } ?? "",
            row.ratioToBestPeer?.figureText ?? "", row.bestPeer ?? "",
            row.isAhead.map { $0 ? "ahead" : row.behind == nil ? "BEHIND" : "behind: see below" } ?? "",
        ]
    }
}
