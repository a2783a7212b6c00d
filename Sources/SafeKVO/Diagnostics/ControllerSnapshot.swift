/// What there is to know about one controller, at the moment of asking.
///
/// It is a copy of plain values: it keeps nothing alive, and nothing in it changes.
public struct ControllerSnapshot: Sendable {
    /// For whom the controller observes.
    ///
    /// It is not kept alive by this. If the observer is gone, another object may be at its address.
    public let observer: ObjectIdentifier
    /// The class of the observer.
    public let observerType: String
    /// Whether the observer is gone, or going; then what is left of its observations ends with the next change of what they observe.
    public let isObserverGone: Bool
    /// Whether observed objects are kept alive until they are unobserved.
    public let retainsObserved: Bool
    /// What became of callbacks and requests so far.
    public let counters: ObservationCounters
    /// What the controller observes, in the order of the lines that registered it.
    public let observations: [ObservationSnapshot]

    init(_ core: ControllerCore) {
        observer = core.observerIdentity
        observerType = "\(core.observerType)"
        isObserverGone = core.isObserverGone
        retainsObserved = core.retainsObserved
        counters = core.counters
        observations = core.snapshots
    }
}

extension ControllerSnapshot: CustomStringConvertible {
    /// The observer and the counters, and each observation in a line of its own.
    public var description: String {
        let who = observerType + (isObserverGone ? ", which is gone" : "")
        let head = "ObservationController of \(who), \(retainsObserved ? "retaining" : "not retaining"): \(counters)"
        return ([head] + observations.map { "  \($0)" }).joined(separator: "\n")
    }
}
