/// Something that happened to an observation, for ``ObservationDiagnostics/logHandler``.
public struct ObservationLogEntry: Sendable {
    /// What can happen to an observation.
    public enum Event: Hashable, Sendable {
        /// It was added.
        case added
        /// It took the place of one that was there.
        case replaced
        /// It was not added: the controller observes that already, under that tag.
        case ignored
        /// It was not added, for the given reason.
        case refused(ObservationResult.Refusal)
        /// Its handler was called and has returned.
        case delivered
        /// A change was made outside its handler's isolation, where the handler will be called; a newer value may take the place of one that waits.
        case enqueued
        /// Its handler was not called, because the value does not differ from the one before.
        case leftOut
        /// Its handler was not called, because the observer is gone.
        case dropped
        /// Its handler was not called, because the change was made outside its isolation.
        case wrongIsolation
        /// It ended.
        case ended(ObservationEndReason)
    }

    /// What happened.
    public let event: Event
    /// The observation as it was then; nil if it was refused.
    public let observation: ObservationSnapshot?
    /// Where the program asked for the observation.
    public let position: SourcePosition
    /// When it happened; for a call, when that began.
    public let time: ContinuousClock.Instant
    /// The duration of the call, with all that the handler changed; nil if nobody was called.
    public let duration: Duration?
    /// A number that all calls for one change have in common, and no others.
    ///
    /// It is nil for what is no call, for a call with the present value at a registration, and for a call that was brought to another isolation.
    public let change: UInt32?
    /// A number of the thread on which it happened, which no other thread has or had.
    public let thread: UInt
}

extension ObservationLogEntry: CustomStringConvertible {
    /// What happened to what, in one line.
    public var description: String {
        let what: String =
            switch event {
            case .added: "added"
            case .replaced: "replaced an earlier registration"
            case .ignored: "ignored, because the controller already observes it"
            case .refused(let refusal): "refused, \(refusal)"
            case .delivered: "delivered"
            case .enqueued: "enqueued for the handler's isolation"
            case .leftOut: "left out, because the value is a duplicate"
            case .dropped: "dropped, because the observer is deallocated"
            case .wrongIsolation: "not called, because the change was made outside the handler's isolation"
            case .ended(let reason): "ended, \(reason)"
            }
        return "\(what): \(observation?.description ?? position.description)"
    }
}
