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
            setSwitch(logging, newValue != nil)
            if newValue != nil { logKnownControllers() }
        }
    }

    private static let log = HandlerSlot<ObservationLogEntry>()

    /// The traces that are being recorded.
    static let traces = RunningTraces()

    /// `true` if somebody wants to know what happens to observations that are added now.
    ///
    /// One relaxed load, when an observation is added.
    static var isLogging: Bool { switches.load(ordering: .relaxed) & (logging | tracing) != 0 }

    /// Logs from now on, or no longer, for the handler or for the traces.
    static func setSwitch(_ bit: UInt8, _ isOn: Bool) {
        if isOn { switches.bitwiseOr(bit, ordering: .relaxed) } else { switches.bitwiseAnd(~bit, ordering: .relaxed) }
    }

    /// Logs what becomes of the observations that there are, as far as their controllers are known.
    static func logKnownControllers() {
        for core in ControllerTable.shared.cores { core.logFromNowOn() }
    }

    /// Logs what has happened to an observation, which the caller is calling or registering and knows to be logged.
    @inline(never)
    static func log(_ event: ObservationLogEntry.Event, _ info: ObservationInfo, _ call: LoggedCall? = nil) {
        log(event, info, of: info.livingSubject, call)
    }

    /// Logs what has happened to an observation whose subject the caller knows.
    static func log(_ event: ObservationLogEntry.Event, _ info: ObservationInfo, of subject: AnyObject?, _ call: LoggedCall? = nil) {
        if safekvo_is_logging() || !isLogging { return }
        let time = ContinuousClock.now
        hear(
            ObservationLogEntry(
                event: event, observation: ObservationSnapshot(info, of: subject, deliveries: info.deliveries), position: info.position,
                time: call?.start ?? time, duration: call.map { $0.start.duration(to: time) }, change: call?.change,
                thread: safekvo_thread()))
    }

    /// Logs that nothing could come of a registration.
    @inline(never)
    static func log(_ refusal: ObservationResult.Refusal, at position: SourcePosition) {
        if safekvo_is_logging() || !isLogging { return }
        hear(
            ObservationLogEntry(
                event: .refused(refusal), observation: nil, position: position, time: .now, duration: nil, change: nil,
                thread: safekvo_thread()))
    }

    private static func hear(_ entry: ObservationLogEntry) {
        traces.append(entry)
        guard let handler = log.handler else { return }
        safekvo_set_logging(true)
        Recording.suspended { handler(entry) }
        safekvo_set_logging(false)
    }
}
