extension ObservationDiagnostics {
    /// Who observes whom, in the whole process, as far as ``isRecording`` lets the library know.
    ///
    /// ```swift
    /// ObservationDiagnostics.isRecording = true  // before the controllers are made
    /// …
    /// print(ObservationDiagnostics.snapshot())
    /// print(ObservationDiagnostics.snapshot().mermaid)
    /// ```
    ///
    /// It looks at one controller after another while the program goes on, so it is no picture of one moment. Of each observer and observed
    /// object a reference is taken and let go of on this thread, which may end the object here if all other references go meanwhile.
    ///
    /// - Returns: the controllers that are left of those made while recording was on.
    /// - Complexity: O(*n* log *n*) for *n* observations.
    public static func snapshot() -> ObservationGraph {
        ObservationGraph(ControllerTable.shared.cores.map { ControllerSnapshot($0) })
    }
}
