internal import CSafeKVO

/// Something that is probably a mistake, although nothing went wrong: a caller should know, and a user should not be stopped.
public struct ObservationWarning: Sendable {
    /// The kinds of warnings.
    public enum Kind: Sendable {
        /// A key path is observed that reads nothing observable: its changes are heard only if they are announced by hand.
        case nothingObservable
        /// A change was announced by hand and does not fit what was announced or what was done; it was told as a setting.
        case unfulfilledAnnouncement
        /// A key path leads through an object that no observed property returned, so that its replacement may not be heard.
        case unseenHop
        /// A change that `willChangeValue(for:)` announced was not ended by `didChangeValue(for:)` when its object was deallocated or its
        /// thread had ended, or when its key was observed anew on that thread.
        case abandonedAnnouncement
        /// An atomic property was written by what was working out its new value on the same thread, which then overwrote that.
        case overwrittenChange
        /// A decoder failed on a message; who observes its type was not told.
        case undecodableMessage
        /// A value that another observing system gave is not of the type that the observer asked for; it was left out.
        case unexpectedType
        /// A change was made outside the isolation of a handler, which was not called; or a call was asked for where it cannot be made.
        case misplacedChange
        /// A handler that is not `Sendable`, registered outside any actor, was released on another thread than the one that registered it.
        case unprotectedRelease
        /// A handler has changed what it observes again and again, each time inside the call for the change before, or during its initial call.
        case feedback
        /// A registration was ignored because the controller observes the same already, by a registration on another line.
        case ignoredRegistration
        /// A controller was released by the statement that made it, and with it what it had just begun to observe.
        case unkeptController
        /// An observation of several key paths was asked for, and the list of key paths is empty.
        case noKeyPaths
        /// A class conforms to Swift's `Observable`, and inherits from a class that made its properties observable without that; Swift's
        /// Observation does not track them.
        case untrackedClass
        /// A poll cannot wait: its interval is zero or negative, or its clock failed.
        case unusableClock
    }

    /// What kind of mistake it is.
    public let kind: Kind
    /// What happened, and what to do about it.
    public let message: String
    /// Where in the program's source.
    public let position: SourcePosition
}

extension ObservationWarning: CustomStringConvertible {
    /// The place and the message.
    public var description: String { "\(position): \(message)" }
}

/// The handler of warnings, and what has been told once and is not told again.
final class WarningDesk: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `told` belongs to `lock`.

    let slot = HandlerSlot<ObservationWarning> {
        // SAFETY: the string is used during the call only.
        unsafe safekvo_print_error($0.description)
    }
    private let lock = Lock()
    private var told: Set<String> = []

    /// Whether this is asked for the first time.
    func isFirst(_ kind: ObservationWarning.Kind, at position: SourcePosition) -> Bool {
        let place = "\(kind) \(position)"
        return lock.withLock { told.insert(place).inserted }
    }
}

/// Where one handler of the whole process is kept: it may be replaced, on any thread, while others call it.
final class HandlerSlot<Told>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `present` belongs to `lock`; handlers are called and released outside.

    private final class Handler: Sendable {
        let handle: @Sendable (Told) -> Void
        init(_ handle: @escaping @Sendable (Told) -> Void) { self.handle = handle }
    }

    private let lock = Lock()
    private var present: Handler?

    init(_ handler: (@Sendable (Told) -> Void)? = nil) {
        present = handler.map { Handler($0) }
    }

    var handler: (@Sendable (Told) -> Void)? {
        get { lock.withLock { present }?.handle }
        set {
            var other = newValue.map { Handler($0) }
            lock.withLock { swap(&present, &other) }
        }
    }
}
