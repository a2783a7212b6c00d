/// A command line that is not understood, or asks for what is not there.
struct UsageError: Error {
    /// What is wrong with it.
    let problem: String

    /// The one line that the user gets.
    var line: String { "album: \(problem); see 'album --help'\n" }

    /// What a program that was called wrongly ends with (`EX_USAGE`).
    static let exitStatus: Int32 = 64
}
