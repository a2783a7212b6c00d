internal import CSafeKVO
public import SafeKVO
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
    /// handler has returned, so after the changes that the handler makes. Events that the log handler itself causes are not
    /// logged.
    public static var logHandler: (@Sendable (ObservationLogEntry) -> Void)? {
        get { ObservationLog.handler.handler }
        set {
            ObservationLog.handler.handler = newValue
            ObservationLog.setSwitch(DiagnosticsHook.logging, newValue != nil)
            if newValue != nil { ObservationLog.logKnownControllers() }
        }
    }

    /// A Boolean value that indicates whether new controllers are recorded, so that ``snapshot()`` finds them.
    ///
    /// The default is `false`. Controllers that were made while it was `false` are not recorded. Setting it to `false` forgets
    /// all recorded controllers. Recording a controller does not retain it.
    public static var isRecording: Bool {
        get { DiagnosticsHook.recordsControllers }
        set {
            ObservationLog.setSwitch(DiagnosticsHook.recording, newValue)
            if !newValue { ObservationLog.forgetControllers() }
        }
    }
}

/// What the program wants to know of observations and controllers: its log handler, the running traces, and the recorded controllers.
enum ObservationLog {
    static let handler = HandlerSlot<ObservationLogEntry>()
    static let traces = RunningTraces()
    /// The controllers that were made while `ObservationDiagnostics.isRecording` was `true`.
    private static let controllers = WeakTable()

    static var knownControllers: [ControllerCore] { controllers.objects.compactMap { $0 as? ControllerCore } }

    static func setSwitch(_ bit: UInt8, _ isOn: Bool) {
        guard isOn else {
            DiagnosticsHook.switches.bitwiseAnd(~bit, ordering: .relaxed)
            return
        }
        if DiagnosticsHook.shared.isEmpty {
            DiagnosticsHook.shared.store(
                DiagnosticsHook(log: log, didMakeController: { controllers.add($0) }))
        }
        DiagnosticsHook.switches.bitwiseOr(bit, ordering: .releasing)
    }

    static func forgetControllers() { controllers.removeAll() }

    static func logKnownControllers() {
        for core in knownControllers { core.logFromNowOn() }
    }

    @Sendable
    private static func log(_ event: LoggedEvent, _ info: ObservationInfo?, _ position: SourcePosition, _ call: LoggedCall?) {
        if safekvo_is_logging() || !DiagnosticsHook.isLogging { return }
        let time = ContinuousClock.now
        let entry = ObservationLogEntry(
            event: .init(event), observation: info.map { ObservationSnapshot($0, deliveries: $0.deliveries) }, position: position,
            time: call?.start ?? time, duration: call.map { $0.start.duration(to: time) }, change: call?.change, thread: safekvo_thread())
        traces.append(entry)
        guard let handler = handler.handler else { return }
        safekvo_set_logging(true)
        Recording.suspended { handler(entry) }
        safekvo_set_logging(false)
    }
}
