internal import Synchronization

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
        let who = observerType + (isObserverGone ? ", which is deallocated" : "")
        let head = "ObservationController of \(who), \(retainsObserved ? "retaining" : "not retaining"): \(counters)"
        return ([head] + observations.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension ObservationController {
    /// What this controller observes now, in the order of the lines that registered it.
    ///
    /// For looking at, in a debugger, a log or a test: it is a copy that knows the observed objects by identity and class only. Who
    /// observes a given object tells ``ObservationDiagnostics/observations(of:includingDependencies:)``.
    ///
    /// - Complexity: O(*n* log *n*) for *n* observations.
    public var observations: [ObservationSnapshot] { core.snapshots }
}

extension ObservationController: CustomDebugStringConvertible {
    /// The observer, the counters, and each observation in a line of its own.
    public var debugDescription: String { "\(ControllerSnapshot(core))" }
}

extension ControllerCore {
    /// What is observed now, in the order of the lines that registered it.
    var snapshots: [ObservationSnapshot] {
        infos().compactMap { ObservationSnapshot($0) }
            .sorted { ($0.position.fileID, $0.position.line, $0.name) < ($1.position.fileID, $1.position.line, $1.name) }
    }
}

extension ObservationDiagnostics {
    /// Whether the controllers that are made are remembered, for ``snapshot()``.
    ///
    /// At first it is false, and there is no table of controllers anywhere. A controller that was made before is never known; setting this
    /// to false forgets all. Controllers are remembered weakly: recording changes no lifetime.
    public static var isRecording: Bool {
        get { switches.load(ordering: .relaxed) & recording != 0 }
        set {
            if newValue {
                switches.bitwiseOr(recording, ordering: .relaxed)
            } else {
                switches.bitwiseAnd(~recording, ordering: .relaxed)
                ControllerTable.shared.removeAll()
            }
        }
    }
}
