/// All of one run: what was measured, on what, and what nobody could do.
public struct Report: Sendable {
    /// The compiler.
    public let toolchain: String
    /// How many processors the machine has.
    public let processors: Int
    /// How many programs wanted a processor, in the mean of a minute: before the run and after it.
    public let load: [Double]
    /// All figures, in the order of the table.
    public let figures: [Figure]
    /// The cases that peers cannot do.
    public let refusals: [Refusal]

    /// Collects a run.
    public init(toolchain: String, processors: Int, load: [Double], figures: [Figure], refusals: [Refusal]) {
        self.toolchain = toolchain
        self.processors = processors
        self.load = load
        self.figures = figures
        self.refusals = refusals
    }

    /// Compares all figures.
    public func rows(_ thresholds: [Threshold]) -> [Row] {
        let byRow = Dictionary(thresholds.map { ($0.row, $0) }) { first, _ in first }
        return figures.map { Row($0, byRow[$0.name], among: figures) }
    }
}

extension Report: Decodable {
    private enum CodingKeys: CodingKey {
        case toolchain
        case processors
        case load
        case rows
        case refusals
    }

    /// What is read back: comparisons are made anew.
    private struct Measured: Decodable {
        let figure: Figure
    }

    /// Reads what was measured from a ``JudgedReport``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        toolchain = try container.decode(String.self, forKey: .toolchain)
        processors = try container.decode(Int.self, forKey: .processors)
        load = try container.decode([Double].self, forKey: .load)
        figures = try container.decode([Measured].self, forKey: .rows).map(\.figure)
        refusals = try container.decode([Refusal].self, forKey: .refusals)
    }
}
