public import SafeKVO

extension ObservationSnapshot {
    /// The kind of the handler, for example a closure or a method of the observer.
    public var handler: ObservationHandlerKind { ObservationHandlerKind(facts.handlerKind) }

    /// The source position of a `willChangeValue(for:)` that still lacks its `didChangeValue(for:)`; `nil` if there is none.
    ///
    /// Until that call, the observer gets no further changes of this key from the same thread.
    public var unmatchedChange: SourcePosition? { facts.unmatchedChange }

    /// The properties and keys that the observed key path follows, such as `["Player.song", "Song.title"]`.
    ///
    /// A change of one of them makes the library evaluate the key path again. The array is empty for a stored property, whose own changes
    /// are observed.
    public var follows: [String] { facts.follows }

    /// The names of stored properties in the key path that report nothing, so that the key path does not follow them.
    ///
    /// A constant (`let`) is one of them, and need not report anything. The names come from Swift's description of the key path, which may
    /// lack them.
    public var unreportedHops: [String] { facts.unreportedHops }
}

/// The way in which an observation calls its observer.
public enum ObservationHandlerKind: Sendable {
    /// The observation calls a closure.
    case closure
    /// The observation calls a method of the observer.
    case action
    /// The observation calls the observer's implementation of `KeyValueObserver`.
    case context
    /// The observation calls the library itself, which observes the properties that a key path depends on.
    case dependency
    /// The observation passes the events to an asynchronous sequence.
    case sequence

    init(_ kind: HandlerKind) {
        self =
            switch kind {
            case .closure: .closure
            case .action: .action
            case .context: .context
            case .dependency: .dependency
            case .sequence: .sequence
            }
    }
}
