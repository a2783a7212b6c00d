public import Foundation

/// A run together with what came out of comparing.
public struct JudgedReport: Sendable {
    /// The compiler.
    let toolchain: String
    /// How many processors the machine has.
    let processors: Int
    /// How many programs wanted a processor, before and after.
    let load: [Double]
    /// All rows, in the order of the table.
    let rows: [Row]
    /// The cases that peers cannot do.
    let refusals: [Refusal]

    /// Brings both together.
    public init(_ report: Report, _ rows: [Row]) {
        toolchain = report.toolchain
        processors = report.processors
        load = report.load
        self.rows = rows
        refusals = report.refusals
    }

    /// The JSON, with a line for each row and each refusal, so that two runs can be laid side by side.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func text(_ value: some Encodable) throws -> String { String(decoding: try encoder.encode(value), as: UTF8.self) }
        let document = """
            {
            "toolchain": \(try text(toolchain)), "processors": \(processors), "load": \(try text(load)),
            "rows": [
            \(try rows.map(text).joined(separator: ",\n"))
            ],
            "refusals": [
            \(try refusals.map(text).joined(separator: ",\n"))
            ]
            }

            """
        return Data(document.utf8)
    }
}
