internal import Synchronization

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
    /// The controller's counters at that moment, for example the number of deliveries.
    public let counters: ObservationCounters
    /// The observations of the controller, sorted by the source lines that registered them.
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
    /// A text with the observer and the counters, and one line for each observation.
    public var description: String {
        let who = observerType + (isObserverGone ? ", which is deallocated" : "")
        let head = "ObservationController of \(who), \(retainsObserved ? "retaining" : "not retaining"): \(counters)"
        return ([head] + observations.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension ObservationController {
    /// The present observations of this controller, sorted by the source lines that registered them.
    ///
    /// Use it in a debugger, a log or a test. It is a copy with the identities and classes of the observed objects, and it
    /// retains none of them. To get the observations of one object by all controllers, use
    /// ``ObservationDiagnostics/observations(of:includingDependencies:)``.
    ///
    /// - Complexity: O(*n* log *n*) for *n* observations.
    public var observations: [ObservationSnapshot] { core.snapshots }
}

extension ObservationController: CustomDebugStringConvertible {
    /// A text with the observer and the counters, and one line for each observation.
    public var debugDescription: String { "\(ControllerSnapshot(core))" }
}

extension ControllerCore {
    var snapshots: [ObservationSnapshot] {
        infos().compactMap { ObservationSnapshot($0) }
            .sorted { ($0.position.fileID, $0.position.line, $0.name) < ($1.position.fileID, $1.position.line, $1.name) }
    }
}

extension ObservationDiagnostics {
    /// A Boolean value that indicates whether new controllers are recorded, so that ``snapshot()`` finds them.
    ///
    /// The default is `false`. Controllers that were made while it was `false` are not recorded. Setting it to `false` forgets
    /// all recorded controllers. Recording a controller does not retain it.
    public static var isRecording: Bool {
        get { switches.load(ordering: .relaxed) & recording != 0 }
        set {
            setSwitch(recording, newValue)
            if !newValue { ControllerTable.shared.removeAll() }
        }
    }
}
