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

/// The properties that only some registrations have; a separate object keeps the other registrations small.
final class InfoExtras: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `onTermination` and `filter` are removed after the last call of the handler has ended, never by two
    // threads at once.

    let tag: ObservationTag?
    let isolation: HandlerIsolation?
    /// Is `nil` if the handler runs on the thread of the change.
    let hops: HopQueue?
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
        hops = target.map { HopQueue($0, read: read) }
        self.driver = driver
        self.filter = filter
        self.onTermination = onTermination
    }

    /// Releases what the handler needs.
    ///
    /// - Returns: The number of events that still waited for a call of the handler.
    func releaseHandler() -> Int {
        _ = filter.take()
        return hops?.end() ?? 0
    }

    /// Removes the closure from this object, so that the closure's captures are released after its call.
    func takeOnTermination() -> (@Sendable (ObservationEndReason) -> Void)? {
        defer { onTermination = nil }
        return onTermination
    }
}

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
