/// Where the library says what it noticed.
///
/// Nothing here changes what observers are told.
public enum ObservationDiagnostics {
    /// Called for each warning; nil to hear none.
    ///
    /// The first value prints to the standard error stream. A handler is called on the thread on which the mistake was made, under no lock. It
    /// belongs to the whole process: a test that replaces it should look at the position of what it is told.
    public static var warningHandler: (@Sendable (ObservationWarning) -> Void)? {
        get { desk.handler }
        set { desk.handler = newValue }
    }

    /// Tells a warning.
    static func warn(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        desk.handler?(ObservationWarning(kind: kind, message: message(), position: position))
    }

    /// Tells a warning, once for each place in the source.
    static func warnOnce(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        if desk.isFirst(at: position) { warn(kind, at: position, message()) }
    }

    private static let desk = WarningDesk()
}
