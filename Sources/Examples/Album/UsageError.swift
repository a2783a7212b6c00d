struct UsageError: Error {
    let problem: String

    var line: String { "album: \(problem); see 'album --help'\n" }

    static let exitStatus: Int32 = 64
}
