/// An error in the command line, or a missing file that it names.
struct UsageError: Error {
    let problem: String

    /// The line of text that the program prints.
    var line: String { "album: \(problem); see 'album --help'\n" }

    /// The exit status for wrong arguments (`EX_USAGE`).
    static let exitStatus: Int32 = 64
}
