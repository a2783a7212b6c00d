import Foundation

/// Rows as text, in columns.
public struct Table: CustomStringConvertible {
    private let rows: [Row]

    /// Makes a table.
    public init(_ rows: [Row]) {
        self.rows = rows
    }

    /// The table.
    public var description: String {
        let header = ["", "median", "", "quartiles", "ratio", "to", "budget", ""]
        let lines = [header] + rows.map { Self.cells($0) }
        let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        let rightAligned: Set<Int> = [1, 3, 4]
        return lines.map { cells in
            let padded = cells.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - cells[column].count)
                return rightAligned.contains(column) ? space + cells[column] : cells[column] + space
            }
            return padded.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }
        .joined(separator: "\n")
    }

    private static func cells(_ row: Row) -> [String] {
        [
            row.name, text(row.median), row.unit.rawValue, "\(text(row.lower)) – \(text(row.upper))",
            row.ratio.map { String(format: "%.2f", $0) } ?? "", row.ratio == nil ? "" : row.limit ?? "", row.budget ?? "",
            row.isMet.map { $0 ? "met" : "MISSED" } ?? "",
        ]
    }

    private static func text(_ figure: Double) -> String {
        String(format: abs(figure) < 10 ? "%.2f" : "%.1f", figure)
    }
}
