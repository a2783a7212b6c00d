/// The result of a registration.
///
/// A program may ignore the result: a registration that adds nothing is not an error.
public enum ObservationResult: Hashable, Sendable {
    /// The observation was added.
    case added
    /// The controller already observes the same key path of the same object under the same tag.
    ///
    /// The first registration stays, and this one is ignored.
    case alreadyObserved
    /// The observation replaced an earlier one for the same key path, object and tag.
    case replaced
    /// No observation was added, for the given reason.
    case refused(Refusal)

    /// The reason why a registration was refused.
    public enum Refusal: Hashable, Sendable {
        /// The object to observe was `nil`.
        case noObject
        /// The object to observe is in its `deinit`.
        case objectDeinitialized
        /// The observer is deallocated or in its `deinit`.
        case observerDeinitialized
        /// The controller was invalidated.
        case controllerInvalidated
        /// The option ``KeyValueObservingOptions/prior`` was given with `on:`, where the handler cannot be called before a change.
        case priorCallElsewhere
        /// The handler is isolated to an actor other than the one that was given with `on:`, or other than the one where it was registered.
        ///
        /// Without `on:`, register a handler that is isolated to an actor in a method of that actor, or in a function that takes the actor as
        /// an `isolated` parameter.
        case handlerOfAnotherIsolation
        /// The handler was registered in no isolation, but any thread may change what it observes.
        ///
        /// That is so for an ``ObservedValue``, an ``AtomicObserved`` property, and a key path that reads one; and for a
        /// ``SharedObservationSource``, if its handler is a method or generic code. Pass `on: .anyThread { … }`, or register on an actor.
        case noIsolation
        /// The interval of a poll is zero or negative.
        case intervalNotPositive
    }

    /// `true` if this registration made an observation: the result is ``added`` or ``replaced``.
    public var isObserving: Bool { self == .added || self == .replaced }
}

/// The action of `observe` if the controller already has the observation.
public enum RepeatedObservation: Sendable {
    /// The first registration stays, and the new one is ignored.
    case ignore
    /// The new registration replaces the first one, and takes its place in the order of delivery.
    ///
    /// The old handler is not called again. The old `onTermination` closure is called with ``ObservationEndReason/replaced``.
    case replace
}
