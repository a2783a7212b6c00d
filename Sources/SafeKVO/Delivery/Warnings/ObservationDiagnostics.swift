internal import CSafeKVO
internal import Synchronization

/// What the library noticed, what it does, and who observes whom.
///
/// Nothing here changes what observers are told. All of it may be called from any thread.
public enum ObservationDiagnostics {
    // MARK: Warnings

    /// Called for each warning; nil to hear none.
    ///
    /// The first value prints to the standard error stream. A handler is called on the thread on which the mistake was made, under no lock.
    /// It belongs to the whole process: a test that replaces it should look at the position of what it is told.
    public static var warningHandler: (@Sendable (ObservationWarning) -> Void)? {
        get { desk.slot.handler }
        set { desk.slot.handler = newValue }
    }

    /// Tells a warning.
    package static func warn(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        guard let handler = desk.slot.handler else { return }
        let warning = ObservationWarning(kind: kind, message: message(), position: position)
        Recording.suspended { handler(warning) }
    }

    /// Tells a warning, once for each place in the source.
    package static func warnOnce(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        if desk.isFirst(kind, at: position) { warn(kind, at: position, message()) }
    }

    private static let desk = WarningDesk()

    // MARK: Switches

    /// What is switched on.
    static let switches = Atomic<UInt8>(0)
    static let logging: UInt8 = 1
    static let recording: UInt8 = 1 << 1
    static let tracing: UInt8 = 1 << 2
}

/// A mistake of the program that cannot be carried out.
package enum Mistake {
    /// Ends the program with a message, also in optimized code, where a precondition says nothing.
    @inline(never)
    package static func stop(_ message: String) -> Never {
        #if !DEBUG
            // SAFETY: the string is used during the call only.
            unsafe safekvo_print_error(message)
        #endif
        preconditionFailure(message)
    }

    /// Ends the program with a message unless a condition holds.
    @inline(__always)
    package static func check(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { stop(message()) }
    }
}
