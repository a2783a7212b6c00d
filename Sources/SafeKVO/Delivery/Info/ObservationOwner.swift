internal import CSafeKVO
internal import Synchronization

/// The observer and the counters of a controller.
///
/// `ControllerCore` inherits from this class, so that the delivery code does not depend on controllers.
@usableFromInline
package class ObservationOwner: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `reference` never changes, and any thread may use it. The counters are atomic. Subclasses guard
    // their own properties.

    private let reference: ObserverReference
    package final let observerType: AnyClass

    /// The controller's counters of handler calls, dropped events and ignored requests.
    ///
    /// The handler calls of an observation are added to `delivered` only when the observation ends.
    final let counts = AtomicCounters()

    // Last, so that the small properties of `ControllerCore` follow it in the same word.
    /// Is `true` for a single observation that was made without a controller.
    package final let isOfAttachment: Bool

    init(observer: AnyObject, isOfAttachment: Bool = false) {
        observerType = type(of: observer)
        reference = ObserverReference(observer)
        self.isOfAttachment = isOfAttachment
    }

    /// Is `nil` if the observer's deallocation has begun.
    package final var observer: AnyObject? { @inline(__always) get { reference.object } }

    package final var isObserverGone: Bool { reference.isGone }

    package final var observerIdentity: ObjectIdentifier { reference.identity }

    /// Marks an observation as removed, and takes it out of the controller's set; returns `false` if the observation was removed before.
    func forget(_ info: ObservationInfo, for reason: ObservationEndReason) -> Bool {
        preconditionFailure("Internal error of SafeKVO: `ObservationOwner.forget(_:for:)` has no override. Please report it.")
    }

    /// Ends an observation by a call of the controller; returns `false` if the observation was removed before.
    func remove(_ info: ObservationInfo, for reason: ObservationEndReason) -> Bool { false }

    /// Takes an observation out of the controller's set, if it is still there.
    func drop(_ info: ObservationInfo) {}

    /// Puts what a removed observation keeps in its place in the controller's set, unless a call of the controller has taken it out of there.
    func keepHold(of info: ObservationInfo) {}

    /// Ends those observations of the deallocated observer that this thread may end.
    ///
    /// A controller overrides this function. The default does nothing.
    func endAllHere() {}
}

/// The counters of one controller, or the sums over all controllers that have ended.
struct AtomicCounters: ~Copyable, Sendable {
    /// The counters of what seldom happens, so that a controller takes less memory.
    final class Seldom: Sendable {
        let dropped = Atomic<UInt64>(0)
        let wrongIsolation = Atomic<UInt64>(0)
        let overtaken = Atomic<UInt64>(0)
        let ignoredAdds = Atomic<UInt64>(0)
        let ignoredRemoves = Atomic<UInt64>(0)
    }

    let delivered = Atomic<UInt64>(0)
    private let reference = OnceReference<Seldom>()

    /// Is `nil` if all of these counters are zero.
    var seldomIfUsed: Seldom? { reference.object }

    var seldom: Seldom { reference.object { Seldom() } }
}

extension Atomic<UInt64> {
    @discardableResult
    func count(_ number: UInt64 = 1) -> UInt64 { wrappingAdd(number, ordering: .relaxed).newValue }
}

#if canImport(ObjectiveC) || SAFEKVO_WEAK_OBSERVERS

    /// A reference to an observer that does not retain it.
    struct ObserverReference: ~Copyable {
        private weak var observer: AnyObject?
        let identity: ObjectIdentifier

        /// Makes a weak reference, or an empty one if the observer is in its `deinit`.
        ///
        /// Objective-C aborts a program that forms a first weak reference to an object in the object's `deinit`.
        init(_ observer: AnyObject) {
            identity = ObjectIdentifier(observer)
            if !isBeingDestroyed(observer) { self.observer = observer }
        }

        var object: AnyObject? { observer }

        var isGone: Bool { observer == nil }
    }

#else

    /// A reference that does not retain the observer, but keeps the observer's memory.
    ///
    /// With a weak reference, an assignment that notifies one observer would take 73 ns instead of 47 ns.
    @safe
    struct ObserverReference: ~Copyable {
        // SAFETY: the runtime keeps the memory of an object, with its reference count, until `releaseMemory()`.

        private let observer: Unretained<AnyObject>

        init(_ observer: AnyObject) {
            self.observer = Unretained(observer)
            unsafe self.observer.retainMemory()
        }

        deinit { unsafe observer.releaseMemory() }

        var object: AnyObject? { @inline(__always) get { unsafe observer.living } }

        var isGone: Bool { unsafe observer.isBeingDestroyed }

        var identity: ObjectIdentifier { observer.identity }
    }

#endif
