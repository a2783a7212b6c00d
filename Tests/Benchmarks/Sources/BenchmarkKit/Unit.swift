/// What a figure counts.
public enum Unit: String, Sendable, Encodable {
    /// Nanoseconds an operation.
    case nanoseconds = "ns"
    /// Bytes of heap.
    case bytes = "B"
    /// How many times as much two threads do as one.
    case times = "×"
}
