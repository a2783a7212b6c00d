internal import CSafeKVO
internal import Synchronization

/// The log of everything that happens to observations.
extension ObservationDiagnostics {
    /// A closure that is called for everything that happens to an observation; `nil`, the default, to log nothing.
    ///
    /// ```swift
    /// ObservationDiagnostics.logHandler = { print($0) }
    /// ```
    ///
    /// It is called when an observation is added, ignored or refused, when its handler is called or is skipped, and when the
    /// observation ends. It belongs to the whole process.
    ///
    /// It is called for observations that are added while a log handler is set. It is also called for older observations if
    /// ``isRecording`` was `true` when their controllers were made. Other observations are not logged. A program without a log
    /// handler pays nothing.
    ///
    /// The closure runs on the thread of the event, after the event, and no lock is held. A delivery is logged after the
    /// observer's handler has returned. So changes that the handler makes are logged before the delivery itself. Events that
    /// the log handler itself causes are not logged.
    public static var logHandler: (@Sendable (ObservationLogEntry) -> Void)? {
        get { log.handler }
        set {
            log.handler = newValue
            setSwitch(logging, newValue != nil)
            if newValue != nil { logKnownControllers() }
        }
    }

    private static let log = HandlerSlot<ObservationLogEntry>()

    /// The traces that are recording at this moment.
    static let traces = RunningTraces()

    /// `true` if a log handler is set or a trace is recording.
    ///
    /// It is read each time an observation is added, and costs one relaxed load.
    static var isLogging: Bool { switches.load(ordering: .relaxed) & (logging | tracing) != 0 }

    /// Turns logging on or off, either for the log handler or for the traces.
    static func setSwitch(_ bit: UInt8, _ isOn: Bool) {
        if isOn { switches.bitwiseOr(bit, ordering: .relaxed) } else { switches.bitwiseAnd(~bit, ordering: .relaxed) }
    }

    /// Turns logging on for the existing observations of all recorded controllers.
    static func logKnownControllers() {
        for core in ControllerTable.shared.cores { core.logFromNowOn() }
    }

    /// Logs an event of an observation.
    ///
    /// The caller is calling or registering this observation, and has checked that it is logged. The *info* is the library's
    /// object for one registration.
    @inline(never)
    static func log(_ event: ObservationLogEntry.Event, _ info: ObservationInfo, _ call: LoggedCall? = nil) {
        log(event, info, of: info.livingSubject, call)
    }

    /// Logs an event of an observation, with the observed object that the caller passes.
    ///
    /// The *info* is the library's object for one registration.
    static func log(_ event: ObservationLogEntry.Event, _ info: ObservationInfo, of subject: AnyObject?, _ call: LoggedCall? = nil) {
        if safekvo_is_logging() || !isLogging { return }
        let time = ContinuousClock.now
        hear(
            ObservationLogEntry(
                event: event, observation: ObservationSnapshot(info, of: subject, deliveries: info.deliveries), position: info.position,
                time: call?.start ?? time, duration: call.map { $0.start.duration(to: time) }, change: call?.change,
                thread: safekvo_thread()))
    }

    /// Logs that a registration was refused.
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
