internal import CSafeKVO
internal import Synchronization

/// Everything that a registration consists of, except its handler.
@usableFromInline
package struct InfoParts {
    /// The list to which the registration will be added: the observers of one key of one object.
    @usableFromInline let list: Unretained<ObserverList>
    /// The part of the controller that deliveries need; `nil` if the library itself is the observer.
    let owner: Unretained<ObservationOwner>?
    let flags: InfoFlags
    let extras: Unretained<InfoExtras>?
    /// The place in the source at which the observation was registered.
    let position: SourcePosition
    /// The key path that was given to `observe`; `nil` if none was given.
    let keyPath: Unretained<AnyKeyPath>?

    // SAFETY: (of the references) The code that creates an info keeps all of these objects alive until the info retains them.

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

    /// Traps if the list delivers other events than those that the handler was written for.
    ///
    /// Events are passed to handlers without their type. This is the only check of their types.
    @inlinable
    @inline(__always)
    package func expect(_ events: Any.Type) {
        // SAFETY: The code that creates an info keeps the list alive.
        if unsafe list.with({ $0.events }) != ObjectIdentifier(events) { unsafe list.with { $0.accept(events) } }
    }

    /// A closure that creates a registration from its parts; it captures the handler.
    @usableFromInline
    package typealias Maker = (InfoParts) -> ObservationInfo
}

/// The properties that only some observations have.
///
/// They are stored in an object of their own, so that all other observations stay small.
final class InfoExtras: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `onTermination` and `filter` are removed once, by the thread that disposes of the observation. Only
    // that thread reads `onTermination`. Only calls of the handler read `filter`, and no call is running by then.

    let tag: ObservationTag?
    /// The actor isolation in which the handler was formed; `nil` if there is none or it is the main actor.
    let isolation: HandlerIsolation?
    /// The queue of events for a handler that was registered with `on:`; `nil` if the handler runs on the thread of the change.
    let hops: HopQueue?
    /// The object that looks for changes of the value; `nil` if the value notifies of its changes itself.
    let driver: PullDriver?
    /// The ``DuplicateFilter`` that skips values equal to the last one; `nil` if the observer gets equal values, too.
    private(set) var filter: AnyObject?
    private var onTermination: (@Sendable (ObservationEndReason) -> Void)?
    /// The record's serial number at the moment when the controller was last paused.
    ///
    /// Only an observation with calls before the change stores it.
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

    /// Releases the objects that only calls of the handler need.
    func releaseHandler() {
        hops?.end()
        _ = filter.take()
    }

    /// Removes and returns the closure to call when the observation has ended.
    ///
    /// The caller gets the only reference, so the closure's captures are released after the call.
    func takeOnTermination() -> (@Sendable (ObservationEndReason) -> Void)? {
        defer { onTermination = nil }
        return onTermination
    }
}

/// The isolation of the actor in which a handler was formed; it does not retain the actor.
struct HandlerIsolation {
    // An executor reference is two words: the actor's address, and the implementation that runs its jobs.
    private let identity: UInt
    private let implementation: UInt
    private weak var actor: (any Actor)?

    init(_ actor: any Actor) {
        self.actor = actor
        // SAFETY: The two words are only compared with those of the running task. Nobody dereferences them.
        (identity, implementation) = unsafe unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
    }

    /// `true` if the calling code runs in this isolation.
    var isCurrent: Bool { safekvo_is_current_executor(identity, implementation) }

    /// A delivery target that runs code in this isolation; `nil` if the actor has been deallocated.
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
    /// The observation calls the library itself, which follows the properties that a key path depends on.
    case dependency
    /// The observation passes the events to an asynchronous sequence.
    case sequence
}
