/// A peer's object on more than one thread.
public struct Shared<Value>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) what is wrapped locks for itself, or is handed over.
    /// What is shared.
    public let value: Value

    /// Shares.
    public init(_ value: Value) {
        self.value = value
    }
}
