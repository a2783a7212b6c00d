/// What a call to `observe` says besides whom and what: carried from the typed surface to the untyped core.
@usableFromInline
package struct Registration {
    var flags: InfoFlags
    let tag: ObservationTag?
    let ifAlreadyObserved: RepeatedObservation
    let onEnd: (@Sendable (ObservationEndReason) -> Void)?
    let position: SourcePosition

    /// What only some observations have; nil if this one has none of it.
    var extras: InfoExtras? {
        tag == nil && onEnd == nil ? nil : InfoExtras(tag: tag, onEnd: onEnd)
    }

    @usableFromInline
    package init(
        kind: ObservationHandlerKind, options: KeyValueObservingOptions, tag: ObservationTag?, ifAlreadyObserved: RepeatedObservation,
        isolation: (any Actor)?, position: SourcePosition, onEnd: (@Sendable (ObservationEndReason) -> Void)?,
        wantsWholeValues: Bool = false
    ) {
        flags = InfoFlags(kind).union(InfoFlags(rawValue: UInt16(options.rawValue)))
        if wantsWholeValues { flags.insert(.wholeValue) }
        if isolation === MainActor.shared { flags.insert(.mainActor) }
        self.tag = tag
        self.ifAlreadyObserved = ifAlreadyObserved
        self.onEnd = onEnd
        self.position = position
    }
}
