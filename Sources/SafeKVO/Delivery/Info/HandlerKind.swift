/// The way in which an observation calls its observer.
@usableFromInline
package enum HandlerKind: UInt8, Sendable {
    case closure
    /// A method of the observer.
    case action
    /// The observer's implementation of ``KeyValueObserver``.
    case context
    /// The library itself, which observes the properties that a key path depends on.
    case dependency
    case sequence
}
