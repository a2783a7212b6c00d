/// What an info is made of besides its handler.
@usableFromInline
struct InfoParts {
    /// Where to hang it in.
    @usableFromInline let list: Unretained<ObserverList>
    /// The controller's core; nil if the library itself is the observer.
    let owner: Unretained<ObservationOwner>?
    let flags: InfoFlags
    let extras: Unretained<InfoExtras>?
    /// Where the registration was written.
    let position: SourcePosition
    /// The key path as it was given, if that is how.
    let keyPath: Unretained<AnyKeyPath>?

    // SAFETY: (of the references) whoever asks for an info holds all of it until the info does.

    init(
        list: ObserverList, owner: ObservationOwner?, flags: InfoFlags, extras: InfoExtras?, position: SourcePosition, keyPath: AnyKeyPath?
    ) {
        self.list = Unretained(list)
        self.owner = owner.map { Unretained($0) }
        self.flags = flags
        self.extras = extras.map { Unretained($0) }
        self.position = position
        self.keyPath = keyPath.map { Unretained($0) }
    }

    /// Ends the program if the list delivers anything else than what a handler was written for.
    ///
    /// The events of a list are handed to handlers without their type; this is the one place where the types are compared.
    @inlinable
    @inline(__always)
    func expect(_ events: Any.Type) {
        // SAFETY: whoever asks for an info holds the list.
        if unsafe list.with({ $0.events }) != ObjectIdentifier(events) { unsafe list.with { $0.accept(events) } }
    }

    /// Makes an info, with the handler that the program gave.
    @usableFromInline
    typealias Maker = (InfoParts) -> ObservationInfo
}
