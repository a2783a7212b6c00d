/// A run together with what came out of comparing: what is written as JSON.
public struct JudgedReport: Sendable, Encodable {
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
}
