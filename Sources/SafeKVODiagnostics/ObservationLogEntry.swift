public import SafeKVO

/// An entry of the log: one event in the life of an observation.
///
/// `ObservationDiagnostics.logHandler` and ``ObservationTrace`` get these entries.
public struct ObservationLogEntry: Sendable {
    /// The kinds of events in the life of an observation.
    public enum Event: Hashable, Sendable {
        /// The observation was added.
        case added
        /// The observation replaced an existing one.
        case replaced
        /// The observation was not added, because the controller already had an observation of the same key path or events with
        /// the same tag.
        case ignored
        /// The observation was not added, for the given reason.
        case refused(ObservationResult.Refusal)
        /// The handler was called and has returned.
        case delivered
        /// A change was made outside the handler's isolation, so the handler will be called later, in its isolation.
        ///
        /// If the observation keeps only the newest value, a later change may replace the value that waits.
        case enqueued
        /// The handler was not called, because the value is a duplicate or a newer value was delivered before.
        case leftOut
        /// The handler was not called, because the observer is deallocated.
        case dropped
        /// The handler was not called, because the change was made outside the handler's isolation.
        case wrongIsolation
        /// The observation ended, for the given reason.
        case ended(ObservationEndReason)
    }

    /// The kind of the event.
    public let event: Event
    /// The observation at the time of the event; `nil` if the observation was refused.
    public let observation: ObservationSnapshot?
    /// The source position of the registration.
    public let position: SourcePosition
    /// The time of the event.
    ///
    /// For a call of the handler, it is the time at which the call began.
    public let time: ContinuousClock.Instant
    /// The duration of the handler's call, including the changes that the handler made; `nil` if no call was attempted.
    ///
    /// For ``Event/leftOut``, the value was first compared with earlier values, and this is the duration of the comparisons.
    public let duration: Duration?
    /// The number of the change: all calls for one change have the same number, and no other calls have it.
    ///
    /// Only handler calls and ``Event/leftOut`` entries have a number. The initial call at a registration has none.
    /// After four billion changes, the numbers begin again.
    public let change: UInt32?
    /// A number that identifies the thread of the event.
    ///
    /// No other thread ever has the same number.
    public let thread: UInt
}

extension ObservationLogEntry: CustomStringConvertible {
    /// A line of text with the event and the observation.
    public var description: String {
        let what: String =
            switch event {
            case .added: "added"
            case .replaced: "replaced an earlier registration"
            case .ignored: "ignored, because the controller already observes it"
            case .refused(let refusal): "refused, \(refusal)"
            case .delivered: "delivered"
            case .enqueued: "enqueued for the handler's isolation"
            case .leftOut: "left out, because the value is a duplicate, or a newer one was delivered before"
            case .dropped: "dropped, because the observer is deallocated"
            case .wrongIsolation: "not called, because the change was made outside the handler's isolation"
            case .ended(let reason): "ended, \(reason)"
            }
        return "\(what): \(observation?.description ?? position.description)"
    }
}

extension ObservationLogEntry.Event {
    init(_ event: LoggedEvent) {
        self =
            switch event {
            case .added: .added
            case .replaced: .replaced
            case .ignored: .ignored
            case .refused(let refusal): .refused(refusal)
            case .delivered: .delivered
            case .enqueued: .enqueued
            case .leftOut: .leftOut
            case .dropped: .dropped
            case .wrongIsolation: .wrongIsolation
            case .ended(let reason): .ended(reason)
            }
    }
}
