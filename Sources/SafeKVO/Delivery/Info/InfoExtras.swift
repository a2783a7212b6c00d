/// What only some observations have; kept apart so that the others stay small.
final class InfoExtras: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `onTermination` and `filter` are taken out once, by whoever disposes of the info; nobody else reads the one,
    // and only calls, of which none is inside by then, the other.

    let tag: ObservationTag?
    /// The isolation that the handler was formed in, if that is not the main actor's.
    let isolation: HandlerIsolation?
    /// What waits to be told elsewhere, if that is where the handler runs.
    let hops: HopQueue?
    /// Who looks at the value for this observation, if it does not announce its changes.
    let driver: PullDriver?
    /// Says when a change is left out: a ``DuplicateFilter``.
    private(set) var filter: AnyObject?
    private var onTermination: (@Sendable (ObservationEndReason) -> Void)?

    init(
        tag: ObservationTag?, isolation: HandlerIsolation?, target: (any DeliveryTarget)?, read: ((EventPointer) -> EventBox)?,
        driver: PullDriver?, filter: AnyObject?,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) {
        self.tag = tag
        self.isolation = isolation
        hops = target.map { HopQueue($0, read: read) }
        self.driver = driver
        self.filter = filter
        self.onTermination = onTermination
    }

    /// Lets go of what calls need.
    func releaseHandler() {
        hops?.end()
        _ = filter.take()
    }

    /// Takes out what is to be called at the end, so that its captures go with the call.
    func takeOnTermination() -> (@Sendable (ObservationEndReason) -> Void)? {
        defer { onTermination = nil }
        return onTermination
    }
}
