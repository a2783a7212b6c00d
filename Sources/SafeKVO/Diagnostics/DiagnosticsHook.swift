package import Synchronization

/// The functions of the module SafeKVODiagnostics that the library calls; `nil` in a program that does not use that module.
///
/// The module stores the hook at its first use, before it sets a switch.
package final class DiagnosticsHook: Sendable {
    /// Is called for each event in the life of a logged observation, and for each refusal while a log is written.
    let log: @Sendable (_ event: LoggedEvent, _ info: ObservationInfo?, _ position: SourcePosition, _ call: LoggedCall?) -> Void
    /// Is called for each new controller while controllers are recorded.
    let didMakeController: @Sendable (ObservationOwner) -> Void

    package init(
        log: @escaping @Sendable (LoggedEvent, ObservationInfo?, SourcePosition, LoggedCall?) -> Void,
        didMakeController: @escaping @Sendable (ObservationOwner) -> Void
    ) {
        self.log = log
        self.didMakeController = didMakeController
    }

    package static let shared = OnceReference<DiagnosticsHook>()
    package static let switches = Atomic<UInt8>(0)
    package static let logging: UInt8 = 1
    package static let recording: UInt8 = 1 << 1
    package static let tracing: UInt8 = 1 << 2

    package static var isLogging: Bool { switches.load(ordering: .acquiring) & (logging | tracing) != 0 }

    /// `true` if the program has asked for a list of its controllers.
    package static var recordsControllers: Bool { switches.load(ordering: .acquiring) & recording != 0 }

    /// Logs an event in the life of the observation `info`.
    ///
    /// Call it while the observation is registered, calls its handler, or ends. Later, `info` may have released its data.
    @inline(never)
    static func log(_ event: LoggedEvent, _ info: ObservationInfo, _ call: LoggedCall? = nil) {
        shared.object?.log(event, info, info.position, call)
    }

    @inline(never)
    static func log(_ refusal: ObservationResult.Refusal, at position: SourcePosition) {
        if isLogging { shared.object?.log(.refused(refusal), nil, position, nil) }
    }
}

/// An event in the life of an observation, as the log gets it.
package enum LoggedEvent {
    case added, replaced, ignored, delivered, enqueued, leftOut, dropped, wrongIsolation
    case refused(ObservationResult.Refusal)
    case ended(ObservationEndReason)
}

/// The beginning of a handler's call that is logged.
package final class LoggedCall {
    package let start = ContinuousClock.now
    package let change = DeliveryFrame.numberOfChange()
}
