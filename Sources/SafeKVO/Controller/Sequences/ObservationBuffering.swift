/// What becomes of elements of a sequence that arrive faster than they are taken.
public enum ObservationBuffering: Hashable, Sendable {
    /// All are kept: none is lost.
    case unbounded
    /// The given number of newest ones are kept, and older ones are dropped.
    case newest(Int)
    /// The given number of oldest ones are kept, and newer ones are dropped.
    case oldest(Int)

    func policy<Element>(_ type: Element.Type) -> AsyncStream<Element>.Continuation.BufferingPolicy {
        switch self {
        case .unbounded: .unbounded
        case .newest(let count): .bufferingNewest(count)
        case .oldest(let count): .bufferingOldest(count)
        }
    }
}
