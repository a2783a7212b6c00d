/// What came of a registration.
///
/// Ignore it if it does not interest you: nothing is wrong when a registration is not added.
public enum ObservationResult: Hashable, Sendable {
    /// The observation was added.
    case added
    /// The controller already observes that key path of that object under that tag. The first registration stays.
    case alreadyObserved
    /// The observation took the place of one that was there before.
    case replaced
    /// Nothing was added, for the given reason.
    case refused(Refusal)

    /// Why a registration was refused.
    public enum Refusal: Hashable, Sendable {
        /// The object given was `nil`.
        case noObject
        /// The object is being destroyed.
        case objectDeinitialized
        /// The observer is gone or is being destroyed.
        case observerDeinitialized
        /// The controller was invalidated.
        case controllerInvalidated
        /// Calls before the change were asked for where they cannot be made: with `on:`, of a poll, of an `@Observable` object on any thread.
        case priorCallElsewhere
        /// The handler belongs to another isolation than the one that was given with `on:`.
        case handlerOfAnotherIsolation
        /// The interval of a poll was zero or negative.
        case intervalNotPositive
    }

    /// Whether the observation that was asked for exists now, made by this call.
    public var isObserving: Bool { self == .added || self == .replaced }
}

/// What happens when a controller is asked for an observation that it already has.
public enum RepeatedObservation: Sendable {
    /// The first registration stays and the new one is ignored.
    case ignore
    /// The new registration takes the old one's place in the order of delivery. The old handler gets no further call, and its `onTermination` is
    /// told ``ObservationEndReason/replaced``.
    case replace
}
