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
