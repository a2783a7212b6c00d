internal import CSafeKVO
internal import Synchronization

extension ObservationDiagnostics {
    /// A closure that is called for each event in the life of an observation; `nil`, the default, to log nothing.
    ///
    /// ```swift
    /// ObservationDiagnostics.logHandler = { print($0) }
    /// ```
    ///
    /// The closure is called when an observation is added, ignored or refused, when its handler is called or skipped, and when
    /// the observation ends. There is one closure for the whole process.
    ///
    /// Only some observations are logged: those that are added while a log handler is set, and older ones if ``isRecording`` was
    /// `true` when their controllers were made. A program without a log handler pays nothing.
    ///
    /// The closure runs on the thread of the event, after the event, with no lock held. A delivery is logged after the observer's
    /// handler has returned. So the changes that the handler makes are logged before that delivery. Events that the log handler
    /// itself causes are not logged.
    public static var logHandler: (@Sendable (ObservationLogEntry) -> Void)? {
        get { log.handler }
        set {
            log.handler = newValue
            setSwitch(logging, newValue != nil)
            if newValue != nil { logKnownControllers() }
        }
    }

    private static let log = HandlerSlot<ObservationLogEntry>()

    static let traces = RunningTraces()

    static var isLogging: Bool { switches.load(ordering: .relaxed) & (logging | tracing) != 0 }

    static func setSwitch(_ bit: UInt8, _ isOn: Bool) {
        if isOn { switches.bitwiseOr(bit, ordering: .relaxed) } else { switches.bitwiseAnd(~bit, ordering: .relaxed) }
    }

    static func logKnownControllers() {
        for core in ControllerTable.shared.cores { core.logFromNowOn() }
    }

    /// Logs an event of the observation that `info` registers.
    ///
    /// The caller must be registering the observation, calling its handler or ending it. Otherwise `info` may have released its state.
    static func log(_ event: ObservationLogEntry.Event, _ info: ObservationInfo, _ call: LoggedCall? = nil) {
        log(event, info, at: info.position, call)
    }

    static func log(_ refusal: ObservationResult.Refusal, at position: SourcePosition) { log(.refused(refusal), nil, at: position, nil) }

    @inline(never)
    private static func log(_ event: ObservationLogEntry.Event, _ info: ObservationInfo?, at position: SourcePosition, _ call: LoggedCall?)
    {
        if safekvo_is_logging() || !isLogging { return }
        let time = ContinuousClock.now
        let entry = ObservationLogEntry(
            event: event, observation: info.map { ObservationSnapshot($0, deliveries: $0.deliveries) }, position: position,
            time: call?.start ?? time, duration: call.map { $0.start.duration(to: time) }, change: call?.change, thread: safekvo_thread())
        traces.append(entry)
        guard let handler = log.handler else { return }
        safekvo_set_logging(true)
        Recording.suspended { handler(entry) }
        safekvo_set_logging(false)
    }
}
