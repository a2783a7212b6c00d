public import BenchmarkKit
public import Foundation

/// All of one run.
public struct GraphReport: Sendable, Codable {
    /// The compiler.
    let toolchain: String
    /// The number of processors.
    let processors: Int
    /// The programs that wanted a processor, in the mean of a minute: before the run and after it.
    let load: [Double]
    /// All rows, contender by contender.
    let rows: [GraphRow]

    /// Counts, and measures if there are rounds.
    ///
    /// - Parameters:
    ///   - contenders: The contenders.
    ///   - shapes: The shapes that they build.
    ///   - reasons: The known reasons for other counts.
    ///   - rounds: The number of samples of a row; with 0, nothing is measured.
    ///   - progress: Called before each sample.
    public init(
        _ contenders: [GraphContender], _ shapes: [GraphShape], _ reasons: [GraphReason], rounds: Int, progress: (RunProgress) -> Void
    ) {
        let before = Machine.load
        var rows = contenders.flatMap { contender in shapes.map { GraphRow(contender, $0, reasons) } }
        if rounds > 0 {
            let all = contenders.flatMap { contender in
                shapes.filter { contender.refusal($0) == nil }.map { contender.benchmark($0) }
            }
            let quartiles = Runner(rounds: rounds).run(all, progress: progress)
            for index in rows.indices {
                rows[index].time = quartiles["\(rows[index].contender.name): \(rows[index].shape.rawValue)"].map(GraphRow.Time.init)
            }
        }
        self.rows = rows
        toolchain = Machine.toolchain
        processors = Machine.processors
        load = [before, Machine.load]
    }

    var shapes: [GraphShape] { GraphShape.allCases.filter { shape in rows.contains { $0.shape == shape } } }

    var contenders: [Contender] {
        rows.reduce(into: []) { if !$0.contains($1.contender) { $0.append($1.contender) } }
    }

    func row(_ shape: GraphShape, _ contender: Contender) -> GraphRow? {
        rows.first { $0.shape == shape && $0.contender == contender }
    }

    /// The number of graphs that were counted.
    public var counted: Int { rows.count { $0.counts != nil } }

    /// The machine of the run, in one line.
    var machine: String {
        "\(toolchain), \(processors) processors, load \(load.map { String(format: "%.1f", $0) }.joined(separator: " before, ")) after"
    }

    /// The JSON, with a line for each row, so that two runs can be laid side by side.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func text(_ value: some Encodable) throws -> String { String(decoding: try encoder.encode(value), as: UTF8.self) }
        let document = """
            {
            "toolchain": \(try text(toolchain)), "processors": \(processors), "load": \(try text(load)),
            "rows": [
            \(try rows.map(text).joined(separator: ",\n"))
            ]
            }

            """
        return Data(document.utf8)
    }
}
