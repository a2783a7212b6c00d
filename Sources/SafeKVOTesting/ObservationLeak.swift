public import SafeKVO

/// Observations that are left where there should be none.
public struct ObservationLeak: Error, CustomStringConvertible {
    /// What is left.
    public let observations: [ObservationSnapshot]
    /// Where it was looked for.
    public let position: String

    /// What is left, a line each, with the place where it was added.
    public var description: String {
        "\(position): \(observations.count) observation(s) left:\n" + observations.map { "  \($0)" }.joined(separator: "\n")
    }
}
