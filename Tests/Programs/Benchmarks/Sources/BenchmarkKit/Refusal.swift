/// A case that a contender cannot do.
public struct Refusal: Sendable, Codable {
    /// Who cannot.
    public let contender: Contender
    /// What it cannot do.
    public let benchmarked: Case
    /// Why.
    public let reason: String

    private enum CodingKeys: String, CodingKey {
        case contender
        case benchmarked = "case"
        case reason = "cannot"
    }
}
