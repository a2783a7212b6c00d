internal import CSafeKVO
internal import Synchronization

/// The parts from which an ``ObservationInfo``, a registration, is made, except the handler.
@usableFromInline
package struct InfoParts {
    @usableFromInline let list: Unretained<ObserverList>
    /// The observer and the counters of its controller, or `nil` if the library itself is the observer.
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
    /// Events are passed to handlers as untyped pointers. This function is the only check of their types.
    @inlinable
    @inline(__always)
    package func expect(_ events: Any.Type) {
        // SAFETY: the caller, which makes a registration with the list, keeps the list alive.
        if unsafe list.with({ $0.events }) != ObjectIdentifier(events) { unsafe list.with { $0.accept(events) } }
    }

    /// A closure that makes a registration from the given parts and a handler that it captures.
    @usableFromInline
    package typealias Maker = (InfoParts) -> ObservationInfo
}

/// The properties that only some observations have, stored in an object of their own so that other observations stay
/// small.
final class InfoExtras: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `onTermination` and `filter` are removed after the last call of the handler has ended, never by two
    // threads at once.

    let tag: ObservationTag?
    let isolation: HandlerIsolation?
    /// The queue of events for a handler that was registered with `on:`, or `nil` if the handler runs on the thread
    /// of the change.
    let hops: HopQueue?
    /// The object that checks the observed value for changes, or `nil` if the value itself reports its changes.
    let driver: PullDriver?
    /// The ``DuplicateFilter`` that leaves out values equal to the last one, or `nil` if every change is delivered.
    private(set) var filter: AnyObject?
    private var onTermination: (@Sendable (ObservationEndReason) -> Void)?
    /// The serial number of the controller's last pause.
    ///
    /// Pauses and registrations are numbered together, for each observed object, so that their order is known.
    let pausedAt = Atomic<UInt32>(0)

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

    /// Releases what the handler needs.
    ///
    /// - Returns: The number of events that still waited for a call of the handler.
    func releaseHandler() -> Int {
        _ = filter.take()
        return hops?.end() ?? 0
    }

    /// Removes and returns the `onTermination` closure, so that its captures are released after its call.
    func takeOnTermination() -> (@Sendable (ObservationEndReason) -> Void)? {
        defer { onTermination = nil }
        return onTermination
    }
}

/// The isolation of the actor in which a handler was formed.
///
/// The value does not retain the actor.
struct HandlerIsolation {
    // The two words of the actor's `unownedExecutor`.
    private let identity: UInt
    private let implementation: UInt
    private weak var actor: (any Actor)?

    init(_ actor: any Actor) {
        self.actor = actor
        // SAFETY: an executor reference consists of two words. They are only compared with those of the executor that
        // runs this thread's task.
        (identity, implementation) = unsafe unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
    }

    /// `true` if this thread is in the isolation.
    ///
    /// The caller must hold no lock, because the last reference to the actor may be released here.
    var isCurrent: Bool {
        // A custom executor is asked, so it must be alive. The actor keeps it alive. A default executor (0) is only compared.
        let kept = implementation == 0 ? nil : actor
        if implementation != 0, kept == nil { return false }
        return withExtendedLifetime(kept) { safekvo_is_current_executor(identity, implementation) }
    }

    var target: (any DeliveryTarget)? { actor.map { ActorTarget($0) } }
}

/// The way in which an observation calls its observer.
public enum ObservationHandlerKind: UInt8, Sendable {
    /// The observation calls a closure.
    case closure
    /// The observation calls a method of the observer.
    case action
    /// The observation calls the observer's implementation of ``KeyValueObserver``.
    case context
    /// The observation calls the library itself, which observes the properties that a key path depends on.
    case dependency
    /// The observation passes the events to an asynchronous sequence.
    case sequence
}
