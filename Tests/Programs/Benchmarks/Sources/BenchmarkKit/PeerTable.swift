/// Everybody's figures side by side, a line for each case: what somebody cannot do has a number, and the reason stands below.
public struct PeerTable: CustomStringConvertible {
    private let entries: [Comparison.Entry]
    private let peers: [Contender]

    /// Makes a table of all cases but those of the view model.
    public init(_ rows: [Row], _ refusals: [Refusal]) {
        let comparison = Comparison(rows, refusals)
        entries = comparison.entries.filter { !Case.viewModel.contains($0.benchmarked) }
        peers = comparison.peers
    }

    /// Makes the table of the view model, with the peers that have one.
    public init(viewModel rows: [Row]) {
        let comparison = Comparison(rows, [])
        entries = comparison.entries.filter { Case.viewModel.contains($0.benchmarked) }
        let answers = entries.map(\.answers)
        peers = comparison.peers.filter { peer in answers.contains { $0[peer] != nil } }
    }

    /// The table.
    public var description: String {
        if entries.isEmpty { return "" }
        var notes: [String] = []
        var lines = [["", "", "SafeKVO", "compared with"] + peers.map(\.name)]
        for entry in entries {
            var line = [entry.benchmarked.rawValue, entry.own.figure.unit.rawValue, entry.own.figure.median.figureText]
            line.append(entry.limit?.median.figureText ?? "")
            for peer in peers {
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
        let columns = Columns(lines: lines, rightAligned: Set(2..<(4 + peers.count)))
        return ([columns.description, ""] + notes.enumerated().map { "(\($0 + 1)) cannot: \($1)" }).joined(separator: "\n")
    }
}
