/// What a figure counts.
public enum Unit: String, Sendable, Codable {
    /// Nanoseconds an operation.
    case nanoseconds = "ns"
    /// Bytes of heap.
    case bytes = "B"
    /// How many times as much two threads do as one.
    case times = "×"

    /// Whether the greater figure is the better one.
    public var isMoreBetter: Bool { self == .times }
}
