struct UsageError: Error {
    let problem: String

    var line: String { "clock: \(problem); see 'clock --help'\n" }

    static let exitStatus: Int32 = 64
}
