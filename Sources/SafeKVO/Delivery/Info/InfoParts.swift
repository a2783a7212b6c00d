internal import Synchronization

/// The properties of a new registration, except its handler.
@usableFromInline
package struct InfoParts {
    @usableFromInline let list: Unretained<ObserverList>
    /// Is `nil` if the library itself is the observer.
    let owner: Unretained<ObservationOwner>?
    let flags: InfoFlags
    let extras: Unretained<InfoExtras>?
    let position: SourcePosition
    let keyPath: Unretained<AnyKeyPath>?

    // SAFETY: (of the references above) the caller of `ObservationInfo.init` keeps these objects alive until that
    // initializer has retained them.

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

    /// Traps if the observer list delivers another type of events than the handler takes.
    ///
    /// Handlers receive events as untyped pointers, so this is the only check of the type.
    @_alwaysEmitIntoClient
    @inline(__always)
    package func expect(_ events: Any.Type) {
        // SAFETY: the caller, which makes a registration with the list, keeps the list alive.
        unsafe list.with { if $0.events != ObjectIdentifier(events) { $0.accept(events) } }
    }

    @usableFromInline
    package typealias Maker = (InfoParts) -> ObservationInfo
}
