/// What only some observations have; kept apart so that the others stay small.
final class InfoExtras: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `onEnd` is taken out once, by whoever disposes of the info; nobody else reads it.

    let tag: ObservationTag?
    /// The isolation that the handler was formed in, if that is not the main actor's.
    let isolation: HandlerIsolation?
    /// What waits to be told elsewhere, if that is where the handler runs.
    let hops: HopQueue?
    /// Who looks at the value for this observation, if it does not announce its changes.
    let driver: PullDriver?
    private var onEnd: (@Sendable (ObservationEndReason) -> Void)?

    init(
        tag: ObservationTag?, isolation: HandlerIsolation?, target: (any DeliveryTarget)?, read: ((EventPointer) -> EventBox)?,
        driver: PullDriver?,
        onEnd: (@Sendable (ObservationEndReason) -> Void)?
    ) {
        self.tag = tag
        self.isolation = isolation
        hops = target.map { HopQueue($0, read: read) }
        self.driver = driver
        self.onEnd = onEnd
    }

    /// Takes out what is to be called at the end, so that its captures go with the call.
    func takeOnEnd() -> (@Sendable (ObservationEndReason) -> Void)? {
        defer { onEnd = nil }
        return onEnd
    }
}
