/// Everybody's figures side by side, a line for each case: what somebody cannot do has a number, and the reason stands below.
public struct PeerTable: CustomStringConvertible {
    private let rows: [Row]
    private let refusals: [Refusal]

    /// Makes a table.
    public init(_ rows: [Row], _ refusals: [Refusal]) {
        self.rows = rows
        self.refusals = refusals
    }

    /// The table.
    public var description: String {
        let comparison = Comparison(rows, refusals)
        var notes: [String] = []
        var lines = [["", "", "SafeKVO", "compared with"] + comparison.peers.map(\.name)]
        for entry in comparison.entries {
            var line = [entry.benchmarked.rawValue, entry.own.figure.unit.rawValue, entry.own.figure.median.figureText]
            line.append(entry.limit?.median.figureText ?? "")
            for peer in comparison.peers {
                switch entry.answers[peer] {
                case .figure(let figure): line.append(figure.median.figureText)
                case .cannot(let reason):
                    if !notes.contains(reason) { notes.append(reason) }
                    line.append("(\((notes.firstIndex(of: reason) ?? 0) + 1))")
                case nil: line.append("")
                }
            }
            lines.append(line)
        }
        let columns = Columns(lines: lines, rightAligned: Set(2..<(4 + comparison.peers.count)))
        return ([columns.description, ""] + notes.enumerated().map { "(\($0 + 1)) cannot: \($1)" }).joined(separator: "\n")
    }
}
