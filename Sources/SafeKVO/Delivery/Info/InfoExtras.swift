internal import Synchronization

/// The properties that only some registrations have; a separate object keeps the other registrations small.
final class InfoExtras: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the variables are removed after the last call of the handler has ended, never by two threads at once.

    let tag: ObservationTag?
    let isolation: HandlerIsolation?
    /// Is `nil` if the handler runs on the thread of the change.
    private(set) var transfers: TransferQueue?
    /// Checks the observed value for changes; `nil` if the value itself reports them.
    private(set) var driver: ObservationDriver?
    let driverIdentity: ObjectIdentifier?
    /// Is `nil` if the handler also gets values that are equal to the last one.
    private(set) var filter: AnyObject?
    private var onTermination: (@Sendable (ObservationEndReason) -> Void)?
    let pausedAt = Atomic<UInt64>(0)

    init(
        tag: ObservationTag?, isolation: HandlerIsolation?, target: (any DeliveryTarget)?, read: ((EventPointer) -> EventBox)?,
        driver: ObservationDriver?, filter: AnyObject?,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) {
        self.tag = tag
        self.isolation = isolation
        transfers = target.map { TransferQueue($0, read: read) }
        self.driver = driver
        driverIdentity = driver.map { ObjectIdentifier($0) }
        self.filter = filter
        self.onTermination = onTermination
    }

    /// Releases what belongs to the handler.
    func releaseKept() {
        driver.take()?.observationDidEnd()
        filter = nil
        // A thread that finds out that it is elsewhere may ask just now, but only if there is no queue.
        if transfers != nil { transfers = nil }
    }

    /// Takes out what belongs to the handler.
    func takeKept() -> (filter: AnyObject?, driver: ObservationDriver?) { (filter.take(), driver.take()) }

    /// Removes the closure from this object, so that the closure's captures are released after its call.
    func takeOnTermination() -> (@Sendable (ObservationEndReason) -> Void)? {
        defer { onTermination = nil }
        return onTermination
    }
}
