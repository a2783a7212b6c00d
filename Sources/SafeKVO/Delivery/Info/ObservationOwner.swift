internal import Synchronization

/// What a delivery needs to know of the controller behind an info: its observer, and where to count.
///
/// The controller's core inherits from it, so that the arrows keep pointing from Controller to Delivery.
@usableFromInline
class ObservationOwner: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the reference is constant, and may be asked on any thread; the
    // counters are atomic; subclasses guard what they add.

    /// The observer, without keeping it.
    private let reference: ObserverReference
    /// The observer's address, to tell self-observation without asking for the object.
    ///
    /// Never dereferenced.
    final let observerIdentity: ObjectIdentifier
    /// The observer's class, for diagnostics: known also when the observer is gone, or must not be looked at.
    final let observerType: AnyClass

    /// `true` if the observer is `Sendable`, so that threads may share its controller.
    final let isShared: Bool

    /// Whether this exists for one observation only, of an observer that brought no controller.
    final let isOfAttachment: Bool

    /// Calls made by observations that have ended.
    private let retiredDeliveries = Atomic<UInt64>(0)
    /// Callbacks that found the observer dead.
    private let dropped = Atomic<UInt64>(0)

    /// Changes made on another thread than the main one under a handler of the main actor.
    private let wrongIsolation = Atomic<UInt64>(0)

    /// Values that were not handed over because a newer one had been considered.
    private let overtaken = Atomic<UInt64>(0)

    init(observer: AnyObject, isShared: Bool = false, isOfAttachment: Bool = false) {
        observerType = type(of: observer)
        reference = ObserverReference(observer)
        self.isShared = isShared
        self.isOfAttachment = isOfAttachment
        observerIdentity = ObjectIdentifier(observer)
    }

    /// The observer, unless it is gone or going.
    final var observer: AnyObject? { @inline(__always) get { reference.object } }

    /// Whether the observer is gone or going.
    final var isObserverGone: Bool { reference.isGone }

    /// Takes `info` out of the owner's set and marks it removed, in one step.
    ///
    /// - Returns: whether this call removed it, so that the rest of the removal is the caller's to do.
    func forget(_ info: ObservationInfo, for reason: ObservationEndReason) -> Bool {
        preconditionFailure("An owner of observations must say how it forgets one.")
    }

    final func countDropped() {
        dropped.wrappingAdd(1, ordering: .relaxed)
    }

    final func countWrongIsolation() {
        wrongIsolation.wrappingAdd(1, ordering: .relaxed)
    }

    final func countOvertaken() {
        overtaken.wrappingAdd(1, ordering: .relaxed)
    }

    final func countRetired(_ deliveries: UInt64) {
        if deliveries > 0 { retiredDeliveries.wrappingAdd(deliveries, ordering: .relaxed) }
    }

    final var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }
    final var wrongIsolationCount: UInt64 { wrongIsolation.load(ordering: .relaxed) }
    final var overtakenCount: UInt64 { overtaken.load(ordering: .relaxed) }
    final var retiredDeliveryCount: UInt64 { retiredDeliveries.load(ordering: .relaxed) }
}
