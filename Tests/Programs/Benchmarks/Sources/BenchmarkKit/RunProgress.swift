/// Where a run is.
public struct RunProgress: CustomStringConvertible {
    /// The row that is measured next, counted from one.
    let row: Int
    /// How many rows this round has.
    let rows: Int
    /// The round, counted from one.
    let round: Int
    /// How many rounds there are.
    let rounds: Int
    /// The name of the row.
    let name: String
    /// How long the rest takes, if that can be estimated yet.
    let secondsLeft: Double?

    /// One line for a person.
    public var description: String {
        let left = secondsLeft.map { ", \(Self.text(seconds: Int($0.rounded(.up)))) left" } ?? ""
        return "round \(round) of \(rounds), row \(row) of \(rows)\(left): \(name)"
    }

    private static func text(seconds: Int) -> String {
        seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}
