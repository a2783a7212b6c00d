internal import CSafeKVO
internal import Synchronization

/// Diagnostics of the library: its warnings, a log of its calls, and a list of who observes whom.
///
/// Nothing here changes what observers receive. Any thread may use all of it.
public enum ObservationDiagnostics {
    // MARK: Warnings

    /// The handler of warnings.
    ///
    /// Set it to `nil` to ignore warnings.
    ///
    /// The default handler prints to the standard error stream. The handler is called on the thread that made the
    /// mistake, while no lock is held. The whole process shares the handler, so a test that replaces it should ignore
    /// warnings whose source position lies outside the test.
    public static var warningHandler: (@Sendable (ObservationWarning) -> Void)? {
        get { desk.slot.handler }
        set { desk.slot.handler = newValue }
    }

    package static func warn(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        guard let handler = desk.slot.handler else { return }
        let warning = ObservationWarning(kind: kind, message: message(), position: position)
        Recording.suspended { handler(warning) }
    }

    /// Passes a warning to the handler once for each kind and source position.
    package static func warnOnce(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        if desk.isFirst(kind, at: position) { warn(kind, at: position, message()) }
    }

    private static let desk = WarningDesk()
}

/// The warning handler of the process, and the set of warnings that must not be repeated.
final class WarningDesk: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `reported`, the warnings that were reported.

    let slot = HandlerSlot<ObservationWarning> { FatalMistake.printError($0.description) }
    private let lock = Lock()
    private var reported: [String] = []

    func isFirst(_ kind: ObservationWarning.Kind, at position: SourcePosition) -> Bool {
        let place = "\(kind) \(position)"
        return lock.withLock {
            if reported.contains(place) { return false }
            reported.append(place)
            return true
        }
    }
}
