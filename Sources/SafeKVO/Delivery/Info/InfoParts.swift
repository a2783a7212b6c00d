internal import CSafeKVO
internal import Synchronization

/// What an info is made of besides its handler.
@usableFromInline
package struct InfoParts {
    /// Where to hang it in.
    @usableFromInline let list: Unretained<ObserverList>
    /// The controller's core; nil if the library itself is the observer.
    let owner: Unretained<ObservationOwner>?
    let flags: InfoFlags
    let extras: Unretained<InfoExtras>?
    /// Where the registration was written.
    let position: SourcePosition
    /// The key path as it was given, if that is how.
    let keyPath: Unretained<AnyKeyPath>?

    // SAFETY: (of the references) whoever asks for an info holds all of it until the info does.

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

    /// Ends the program if the list delivers anything else than what a handler was written for.
    ///
    /// The events of a list are handed to handlers without their type; this is the one place where the types are compared.
    @inlinable
    @inline(__always)
    package func expect(_ events: Any.Type) {
        // SAFETY: whoever asks for an info holds the list.
        if unsafe list.with({ $0.events }) != ObjectIdentifier(events) { unsafe list.with { $0.accept(events) } }
    }

    /// Makes an info, with the handler that the program gave.
    @usableFromInline
    package typealias Maker = (InfoParts) -> ObservationInfo
}

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
    /// The serial number at which the controller was paused last, of an info that decides on pauses.
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

/// The isolation of an actor, in which a handler was formed.
///
/// The actor is not retained.
struct HandlerIsolation {
    // An executor is two words: the actor's address, and what it is run by.
    private let identity: UInt
    private let implementation: UInt
    private weak var actor: (any Actor)?

    init(_ actor: any Actor) {
        self.actor = actor
        // SAFETY: the words are compared with those of the running task, and never followed.
        (identity, implementation) = unsafe unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
    }

    /// Whether code of that isolation is running here.
    var isCurrent: Bool { safekvo_is_current_executor(identity, implementation) }

    /// Where code of that isolation can be run; nil if the actor is gone.
    var target: (any DeliveryTarget)? { actor.map { ActorTarget($0) } }
}

/// How an observer is called.
public enum ObservationHandlerKind: UInt8, Sendable {
    /// A closure.
    case closure
    /// A method of the observer.
    case action
    /// The observer's ``KeyValueObserver`` conformance.
    case context
    /// The library itself, following what a key path depends on.
    case dependency
    /// An asynchronous sequence.
    case sequence
}
