internal import CSafeKVO
internal import Synchronization

/// Diagnostics of the library: its warnings, a log of its calls, and a list of who observes whom.
///
/// Nothing here changes what observers receive. Any thread may use all of it.
public enum ObservationDiagnostics {
    // MARK: Warnings

    /// The handler of warnings.
    ///
    /// Set it to `nil` to ignore warnings.
    ///
    /// The default handler prints to the standard error stream. The handler is called on the thread that made the
    /// mistake, while no lock is held. The whole process shares the handler, so a test that replaces it should ignore
    /// warnings whose source position lies outside the test.
    public static var warningHandler: (@Sendable (ObservationWarning) -> Void)? {
        get { desk.slot.handler }
        set { desk.slot.handler = newValue }
    }

    package static func warn(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        guard let handler = desk.slot.handler else { return }
        let warning = ObservationWarning(kind: kind, message: message(), position: position)
        Recording.suspended { handler(warning) }
    }

    /// Passes a warning to the handler once for each kind and source position.
    package static func warnOnce(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        if desk.isFirst(kind, at: position) { warn(kind, at: position, message()) }
    }

    private static let desk = WarningDesk()
}

/// Functions that stop the program after a mistake from which it cannot continue.
package enum Mistake {
    static func printError(_ message: String) {
        // SAFETY: the string is used during the call only.
        unsafe safekvo_print_error(message)
    }

    /// Stops the program with a message, which `preconditionFailure(_:)` would not print in optimized code.
    @inline(never)
    package static func stop(_ message: String) -> Never {
        #if !DEBUG
            printError(message)
        #endif
        preconditionFailure(message)
    }

    @inline(__always)
    package static func check(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { stop(message()) }
    }
}

/// A warning about a probable mistake that does not stop the program.
public struct ObservationWarning: Sendable {
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

/// The warning handler of the process, and the set of warnings that must not be repeated.
final class WarningDesk: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `told`, the warnings that were reported.

    let slot = HandlerSlot<ObservationWarning> { Mistake.printError($0.description) }
    private let lock = Lock()
    private var told: Set<String> = []

    func isFirst(_ kind: ObservationWarning.Kind, at position: SourcePosition) -> Bool {
        let place = "\(kind) \(position)"
        return lock.withLock { told.insert(place).inserted }
    }
}

package final class HandlerSlot<Told>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `present`, the handler in use. Handlers are called and released outside the lock.

    private final class Handler: Sendable {
        let handle: @Sendable (Told) -> Void
        init(_ handle: @escaping @Sendable (Told) -> Void) { self.handle = handle }
    }

    private let lock = Lock()
    private var present: Handler?

    package init(_ handler: (@Sendable (Told) -> Void)? = nil) {
        present = handler.map { Handler($0) }
    }

    package var handler: (@Sendable (Told) -> Void)? {
        get { lock.withLock { present }?.handle }
        set {
            var other = newValue.map { Handler($0) }
            lock.withLock { swap(&present, &other) }
        }
    }
}
