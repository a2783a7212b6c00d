/// An observer of a peer's subject.
///
/// Each row has observers of its own.
public final class PeerView: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) whoever shares it shares it with nobody at the same time.
    /// What handlers add to.
    public final var sum = 0
    /// What handlers multiply with.
    public final let step = opaque(1)

    /// Makes an observer.
    public init() {}
}
