public import SafeKVO

/// A description of one controller at one moment.
///
/// The snapshot is a copy of plain values. It retains no object and does not change later.
public struct ControllerSnapshot: Sendable {
    /// The identity of the controller's observer.
    ///
    /// The identity does not retain the observer. If ``isObserverGone`` is `true`, another object may have this identity.
    public let observer: ObjectIdentifier
    /// The class of the observer.
    public let observerType: String
    /// `true` if the observer is deallocated or is being deallocated.
    ///
    /// If it is `true`, each remaining observation ends at the next change of its observed object.
    public let isObserverGone: Bool
    /// `true` if the controller retains each observed object until the observation ends.
    public let retainsObserved: Bool
    /// The number of ended observations whose handlers the controller still keeps, because the observations ended elsewhere.
    ///
    /// The controller releases them at its next call or at its end: rule 33 of the article Semantics.
    public let keptHandlers: Int
    /// The controller's counters at that moment, for example the number of deliveries.
    public let counters: ObservationCounters
    /// The observations of the controller, sorted by the source lines that registered them.
    public let observations: [ObservationSnapshot]

    init(_ core: ControllerCore) {
        observer = core.observerIdentity
        observerType = "\(core.observerType)"
        isObserverGone = core.isObserverGone
        retainsObserved = core.retainsObserved
        keptHandlers = core.holdCount
        counters = core.counters
        observations = core.snapshots
    }
}

extension ControllerSnapshot: CustomStringConvertible {
    /// A text with the observer and the counters, and one line for each observation.
    public var description: String {
        ControllerCore.text(observerType, isObserverGone, retainsObserved: retainsObserved, counters, keeping: keptHandlers, observations)
    }
}
