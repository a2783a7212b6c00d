/// A warning about a probable mistake that does not stop the program.
public struct ObservationWarning: Sendable {
    // The text of a warning is where the mistake is noticed, in the call of `warn` or `warnOnce` that names its kind.

    /// The kinds of warnings.
    public enum Kind: Sendable {
        /// An observed key path reads no observable property, so that only a manual notification can notify the observer.
        case nothingObservable
        /// A manual notification announced a change of certain elements of a collection, but that change was not made
        /// or was impossible.
        ///
        /// Observers were notified of a change of the whole value instead.
        case unfulfilledAnnouncement
        /// An observed key path seems to lead through a property whose change was announced by hand, but no getter reports that property.
        ///
        /// The observers of the key path may not be notified of the change. The property is found by its name, so it may be another one.
        case unreportedHop
        /// A change begun with `willChangeValue(for:)` was not ended with `didChangeValue(for:)`.
        ///
        /// The warning comes once: at the 100th change that notified nobody, when that thread observes the key again, or when the object is
        /// deallocated.
        case abandonedAnnouncement
        /// A closure that computed the new value of an atomic property also wrote that property.
        ///
        /// The closure's result then overwrote that write.
        case overwrittenChange
        /// A decoder failed on a message, so the observers of the decoded type did not receive the message.
        case undecodableMessage
        /// A value from another observing system does not have the type that the observer expects; the value was skipped.
        case unexpectedType
        /// A handler was not called, because the change was made outside the handler's isolation, or outside that in which the key path is
        /// evaluated.
        case misplacedChange
        /// A handler triggers itself: each of its calls has changed the property that it observes, 100 times in a row.
        case feedback
        /// A registration was ignored, because the controller already observes the same key by a registration on another line.
        case ignoredRegistration
        /// A registration was refused, so nothing is observed.
        ///
        /// The message says why, as the result of the registration does (``ObservationResult/Refusal``). A registration without an object,
        /// whose argument is `nil`, causes no warning. Neither does a second one on the same source line.
        case refusedRegistration
        /// A controller was released by the statement that created it, which ended its observations.
        case unkeptController
        /// An observation of several key paths was registered with an empty list of key paths.
        case noKeyPaths
        /// Swift's Observation framework cannot track the properties of an observed object.
        ///
        /// The object's class conforms to `Observable`, but inherits its conformance to ``KeyValueObservable`` from a
        /// class that does not conform to `Observable`.
        case untrackedClass
        /// The registrar of an observed object was replaced, or moved out of the object, which ended the observations of the object.
        ///
        /// The registrar must be declared as a constant, with `let`.
        case replacedRegistrar
        /// The clock of a poll failed.
        case unusableClock
    }

    /// The kind of mistake.
    public let kind: Kind
    /// A description of what happened, and of what to do about it.
    public let message: String
    /// The place in the program's source that the warning is about.
    public let position: SourcePosition
}

extension ObservationWarning: CustomStringConvertible {
    /// The position and the message.
    public var description: String { "\(position): \(message)" }
}
