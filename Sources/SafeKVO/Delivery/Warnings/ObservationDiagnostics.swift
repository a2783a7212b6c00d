internal import CSafeKVO
internal import Synchronization

/// What the library noticed, what it does, and who observes whom.
///
/// Nothing here changes what observers are told. All of it may be called from any thread.
public enum ObservationDiagnostics {
    // MARK: Warnings

    /// Called for each warning; nil to hear none.
    ///
    /// The first value prints to the standard error stream. A handler is called on the thread on which the mistake was made, under no lock.
    /// It belongs to the whole process: a test that replaces it should look at the position of what it is told.
    public static var warningHandler: (@Sendable (ObservationWarning) -> Void)? {
        get { desk.slot.handler }
        set { desk.slot.handler = newValue }
    }

    /// Tells a warning.
    static func warn(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        guard let handler = desk.slot.handler else { return }
        let warning = ObservationWarning(kind: kind, message: message(), position: position)
        Recording.suspended { handler(warning) }
    }

    /// Tells a warning, once for each place in the source.
    static func warnOnce(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        if desk.isFirst(kind, at: position) { warn(kind, at: position, message()) }
    }

    private static let desk = WarningDesk()

    // MARK: Log

    /// Called for each observation that is added, ignored or refused, each call of its handler, each call that was not made, and its end;
    /// nil, as at first, to log nothing.
    ///
    /// ```swift
    /// ObservationDiagnostics.logHandler = { print($0) }
    /// ```
    ///
    /// It hears of the observations that are added while a handler is set, and of those that are there already if their controllers were
    /// made while ``isRecording`` was true. Of all others it hears nothing: a program that logs nothing pays nothing for the question.
    ///
    /// A handler is called on the thread on which something happens, under no lock, once it has happened: a delivery is logged when the
    /// observer's handler has returned, so what that handler has changed meanwhile is logged before it. Of what a log handler causes
    /// itself, nothing is logged. It belongs to the whole process.
    public static var logHandler: (@Sendable (ObservationLogEntry) -> Void)? {
        get { log.handler }
        set {
            log.handler = newValue
            if newValue == nil {
                switches.bitwiseAnd(~logging, ordering: .relaxed)
            } else {
                switches.bitwiseOr(logging, ordering: .relaxed)
                for core in ControllerTable.shared.cores { core.logFromNowOn() }
            }
        }
    }

    private static let log = HandlerSlot<ObservationLogEntry>()

    /// Whether somebody wants to know what happens to observations that are added now.
    ///
    /// One relaxed load, when an observation is added.
    static var isLogging: Bool { switches.load(ordering: .relaxed) & logging != 0 }

    /// Logs what has happened to an observation, which the caller is calling or registering and knows to be logged.
    @inline(never)
    static func log(_ event: ObservationLogEntry.Event, _ info: ObservationInfo) {
        log(event, info, of: info.livingSubject)
    }

    /// Logs what has happened to an observation whose subject the caller knows.
    static func log(_ event: ObservationLogEntry.Event, _ info: ObservationInfo, of subject: AnyObject?) {
        guard !safekvo_is_logging(), let handler = log.handler else { return }
        let snapshot = ObservationSnapshot(info, of: subject, deliveries: info.deliveries)
        call(handler, ObservationLogEntry(event: event, observation: snapshot, position: info.position))
    }

    /// Logs that nothing could come of a registration.
    @inline(never)
    static func log(_ refusal: ObservationResult.Refusal, at position: SourcePosition) {
        guard !safekvo_is_logging(), let handler = log.handler else { return }
        call(handler, ObservationLogEntry(event: .refused(refusal), observation: nil, position: position))
    }

    private static func call(_ handler: (ObservationLogEntry) -> Void, _ entry: ObservationLogEntry) {
        safekvo_set_logging(true)
        Recording.suspended { handler(entry) }
        safekvo_set_logging(false)
    }

    // MARK: Recording

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

    /// What is switched on.
    private static let switches = Atomic<UInt8>(0)
    private static let logging: UInt8 = 1
    private static let recording: UInt8 = 1 << 1
}
