extension ObservationResult {
    /// Says that a handler belongs to another isolation than the one that was given with `on:`, also to the log.
    package static func handlerOfAnotherIsolation(_ fileID: StaticString, _ line: UInt) -> ObservationResult {
        if ObservationDiagnostics.isLogging {
            ObservationDiagnostics.log(.handlerOfAnotherIsolation, at: SourcePosition(fileID: fileID, line: line))
        }
        return .refused(.handlerOfAnotherIsolation)
    }
}
