/// An error in the command line.
struct UsageError: Error {
    let problem: String

    /// The line of text that the program prints.
    var line: String { "clock: \(problem); see 'clock --help'\n" }

    /// The exit status for wrong arguments (`EX_USAGE`).
    static let exitStatus: Int32 = 64
}
