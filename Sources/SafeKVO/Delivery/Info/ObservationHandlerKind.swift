/// How an observer is called.
public enum ObservationHandlerKind: UInt8, Sendable {
    /// A closure.
    case closure
    /// A method of the observer.
    case action
    /// The observer's ``KeyValueObserver`` conformance.
    case context
    /// The library itself, following what a key path depends on.
    case dependency
    /// An asynchronous sequence.
    case sequence
}
