/// Two histories that should have been the same.
public struct EventLogMismatch: Error, CustomStringConvertible {
    /// What should have happened.
    public let expected: [String]
    /// What happened.
    public let actual: [String]
    /// Where it was compared.
    public let position: String

    /// Both histories side by side, from the first difference on.
    public var description: String {
        let start = zip(expected, actual).prefix { $0 == $1 }.count
        var lines = ["\(position): the histories differ from event \(start) on (expected \(expected.count), got \(actual.count))"]
        for index in start..<max(expected.count, actual.count) {
            let wanted = index < expected.count ? expected[index] : "nothing"
            let got = index < actual.count ? actual[index] : "nothing"
            lines.append("  \(index): expected \(wanted), got \(got)")
        }
        return lines.joined(separator: "\n")
    }
}
