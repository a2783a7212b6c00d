internal import Synchronization

/// The properties that only some registrations have; a separate object keeps the other registrations small.
final class InfoExtras: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `onTermination` and `filter` are removed after the last call of the handler has ended, never by two
    // threads at once.

    let tag: ObservationTag?
    let isolation: HandlerIsolation?
    /// Is `nil` if the handler runs on the thread of the change.
    let transfers: TransferQueue?
    /// Checks the observed value for changes; `nil` if the value itself reports them.
    let driver: AnyObject?
    /// Is `nil` if the handler also gets values that are equal to the last one.
    private(set) var filter: AnyObject?
    private var onTermination: (@Sendable (ObservationEndReason) -> Void)?
    let pausedAt = Atomic<UInt64>(0)

    init(
        tag: ObservationTag?, isolation: HandlerIsolation?, target: (any DeliveryTarget)?, read: ((EventPointer) -> EventBox)?,
        driver: AnyObject?, filter: AnyObject?,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) {
        self.tag = tag
        self.isolation = isolation
        transfers = target.map { TransferQueue($0, read: read) }
        self.driver = driver
        self.filter = filter
        self.onTermination = onTermination
    }

    /// Releases what the handler needs.
    ///
    /// - Returns: The number of events that still waited for a call of the handler.
    func releaseHandler() -> Int {
        _ = filter.take()
        return transfers?.end() ?? 0
    }

    /// Removes the closure from this object, so that the closure's captures are released after its call.
    func takeOnTermination() -> (@Sendable (ObservationEndReason) -> Void)? {
        defer { onTermination = nil }
        return onTermination
    }
}
