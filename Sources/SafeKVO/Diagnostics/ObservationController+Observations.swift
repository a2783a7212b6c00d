extension ObservationController {
    /// What this controller observes now, in the order of the lines that registered it.
    ///
    /// For looking at, in a debugger, a log or a test: it is a copy that knows the observed objects by identity and class only.
    ///
    /// - Complexity: O(*n* log *n*) for *n* observations.
    public var observations: [ObservationSnapshot] {
        core.infos().map { ObservationSnapshot($0) }
            .sorted { ($0.position.fileID, $0.position.line, $0.name) < ($1.position.fileID, $1.position.line, $1.name) }
    }
}

extension ObservationController: CustomDebugStringConvertible {
    /// The observer, the counters, and each observation in a line of its own.
    public var debugDescription: String {
        let who = core.observer.map { "\(type(of: $0))" } ?? "\(Observer.self), which is gone"
        let head = "ObservationController of \(who), \(retainsObserved ? "retaining" : "not retaining"): \(counters)"
        return ([head] + observations.map { "  \($0)" }).joined(separator: "\n")
    }
}
