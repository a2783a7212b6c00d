/// What a call to `observe` says besides whom and what: carried from the typed surface to the untyped core.
@usableFromInline
struct Registration {
    var flags: InfoFlags
    let tag: ObservationTag?
    let ifAlreadyObserved: RepeatedObservation
    let onEnd: (@Sendable (ObservationEndReason) -> Void)?
    let position: SourcePosition

    @usableFromInline
    init(
        kind: ObservationHandlerKind, options: KeyValueObservingOptions, tag: ObservationTag?, ifAlreadyObserved: RepeatedObservation,
        isolation: (any Actor)?, position: SourcePosition, onEnd: (@Sendable (ObservationEndReason) -> Void)?
    ) {
        flags = InfoFlags(kind).union(InfoFlags(rawValue: UInt16(options.rawValue)))
        if isolation === MainActor.shared { flags.insert(.mainActor) }
        self.tag = tag
        self.ifAlreadyObserved = ifAlreadyObserved
        self.onEnd = onEnd
        self.position = position
    }
}
