struct UsageError: Error {
    let problem: String

    var line: String { "album: \(problem); see 'album --help'\n" }

    /// The exit status `EX_USAGE` of Unix.
    static let exitStatus: Int32 = 64
}
