/// One row of the table, measured and compared.
public struct Row: Sendable, Encodable {
    /// What was measured.
    public let figure: Figure
    /// The row that this one is compared with.
    public let limit: String?
    /// How many times as much as that row.
    public let ratio: Double?
    /// The budget in words.
    public let budget: String?
    /// Whether the budget is met; absent without a budget.
    public let isMet: Bool?
    /// Why the budget is not met, where that is known.
    public let missed: String?
    /// The row of the best peer in the same case.
    public let bestPeer: String?
    /// How many times as much as the best peer.
    public let ratioToBestPeer: Double?
    /// Whether no peer is better, but for a twentieth, which is noise; absent without a peer.
    public let isAhead: Bool?
    /// Why the best peer does better, where that is known.
    public let behind: String?

    /// Compares a figure.
    ///
    /// - Parameters:
    ///   - figure: The figure.
    ///   - threshold: What it is compared with.
    ///   - figures: All figures of the run.
    init(_ figure: Figure, _ threshold: Threshold?, among figures: [Figure]) {
        self.figure = figure
        let limitFigure = figures.first { $0.name == threshold?.limit }
        let ratio = limitFigure.map { figure.median / $0.median }
        limit = limitFigure?.name
        self.ratio = ratio.map(Self.rounded)
        budget = threshold?.budget(unit: figure.unit)
        isMet = threshold?.isMet(figure: figure.median, ratio: ratio)
        missed = threshold?.missed

        let peers =
            figure.contender == .safeKVO
            ? figures.filter { $0.contender.isPeer && $0.unit == figure.unit && !$0.cases.filter(figure.cases.contains).isEmpty } : []
        let best = peers.max { $1.isBetter(than: $0) }
        bestPeer = best?.name
        ratioToBestPeer = best.map { Self.rounded(figure.median / $0.median) }
        isAhead = best.map { figure.unit.isMoreBetter ? figure.median * 1.05 >= $0.median : figure.median <= $0.median * 1.05 }
        behind = threshold?.behind
    }

    private static func rounded(_ ratio: Double) -> Double {
        (ratio * 1000).rounded() / 1000
    }
}
