import BenchmarkKit

/// A run as text: the times, the counts beside the expected ones, and the reasons.
public struct GraphTable: CustomStringConvertible {
    private let report: GraphReport

    /// Makes the tables.
    public init(_ report: GraphReport) {
        self.report = report
    }

    /// The tables.
    public var description: String {
        var notes: [String] = []
        func note(_ text: String) -> String {
            if !notes.contains(text) { notes.append(text) }
            return "(\((notes.firstIndex(of: text) ?? 0) + 1))"
        }
        let counts = table("runs of getters / calls of handlers", ["expected"]) { shape in
            [shape.expected.text]
        } cell: { row in
            if let reason = row.cannot { return note("cannot: " + reason) }
            guard let counts = row.counts else { return "WRONG" }
            return counts == row.expected ? counts.text : (row.because.map(note) ?? "(?)") + " " + counts.text
        }
        let times = table("nanoseconds, by one write or creation", []) { _ in
            []
        } cell: { row in
            row.time?.median.figureText ?? row.cannot.map { note("cannot: " + $0) } ?? ""
        }
        let reasons = notes.enumerated().map { "(\($0 + 1)) \($1)" }.joined(separator: "\n")
        let isTimed = report.rows.contains { $0.time != nil }
        return ((isTimed ? [times] : []) + [counts, reasons, report.machine]).joined(separator: "\n\n")
    }

    private func table(
        _ title: String, _ columns: [String], before: (GraphShape) -> [String], cell: (GraphRow) -> String
    ) -> String {
        var lines = [[title] + columns + report.contenders.map(\.name)]
        for shape in report.shapes {
            lines.append([shape.rawValue] + before(shape) + report.contenders.map { report.row(shape, $0).map(cell) ?? "" })
        }
        return Columns(lines: lines, rightAligned: Set(1..<lines[0].count)).description
    }
}
