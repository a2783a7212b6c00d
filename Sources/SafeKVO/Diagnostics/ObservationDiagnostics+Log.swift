internal import CSafeKVO
internal import Synchronization

/// What happens to observations, as it happens.
extension ObservationDiagnostics {
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

    /// Logs what has happened to an observation, which the caller is calling or registering and knows to be logged.
    @inline(never)
    static func log(_ event: ObservationLogEntry.Event, _ info: ObservationInfo) {
        log(event, info, of: info.livingSubject)
    }

    /// Logs what has happened to an observation whose subject the caller knows.
    static func log(_ event: ObservationLogEntry.Event, _ info: ObservationInfo, of subject: AnyObject?) {
        guard !safekvo_is_logging(), let handler = log.handler else { return }
        let observation = ObservationSnapshot(info, of: subject, deliveries: info.deliveries)
        call(handler, ObservationLogEntry(event: event, observation: observation, position: info.position))
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
}
