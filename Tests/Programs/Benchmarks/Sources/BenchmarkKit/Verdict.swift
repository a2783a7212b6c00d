/// What comes out of a run: which rows keep what was promised.
public struct Verdict {
    /// What should make a check fail, a line each.
    public let failures: [String]
    /// What a person should know, a line each: misses that are known, and those that are none any more.
    public let remarks: [String]

    /// Judges rows.
    public init(_ rows: [Row]) {
        var failures: [String] = []
        var remarks: [String] = []
        for row in rows {
            let name = row.figure.name
            switch (row.isMet, row.missed) {
            case (false, nil): failures.append("missed: \(name): \(Self.text(row))")
            case (false, let reason?): remarks.append("missed, as known: \(name): \(Self.text(row)): \(reason)")
            case (true, .some): remarks.append("met now, but listed as missed: \(name): \(Self.text(row))")
            default: break
            }
            switch (row.isAhead, row.behind) {
            case (false, nil): failures.append("behind: \(name): \(Self.peerText(row))")
            case (false, let reason?): remarks.append("behind, as known: \(name): \(Self.peerText(row)): \(reason)")
            case (true, .some): remarks.append("ahead now, but listed as behind: \(name): \(Self.peerText(row))")
            default: break
            }
        }
        self.failures = failures
        self.remarks = remarks
    }

    private static func text(_ row: Row) -> String {
        let figure = "\(row.figure.median.figureText) \(row.figure.unit.rawValue)"
        guard let ratio = row.ratio, let limit = row.limit else { return "\(figure), budget \(row.budget ?? "")" }
        return "\(figure), \(ratio) times '\(limit)', budget \(row.budget ?? "")"
    }

    private static func peerText(_ row: Row) -> String {
        "\(row.figure.median.figureText) \(row.figure.unit.rawValue), \(row.ratioToBestPeer ?? 0) times '\(row.bestPeer ?? "")'"
    }
}
