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

    /// Passes a warning to the handler, once for each kind and place in the source.
    package static func warnOnce(_ kind: ObservationWarning.Kind, at position: SourcePosition, _ message: @autoclosure () -> String) {
        if desk.isFirst(kind, at: position) { warn(kind, at: position, message()) }
    }

    private static let desk = WarningDesk()

    // MARK: Switches

    static let switches = Atomic<UInt8>(0)
    static let logging: UInt8 = 1
    static let recording: UInt8 = 1 << 1
    static let tracing: UInt8 = 1 << 2
}

/// Functions that stop the program after a mistake from which it cannot continue.
package enum Mistake {
    /// Stops the program with a message.
    ///
    /// The message is printed in optimized code, too, where `preconditionFailure(_:)` prints nothing.
    @inline(never)
    package static func stop(_ message: String) -> Never {
        #if !DEBUG
            // SAFETY: the string is used during the call only.
            unsafe safekvo_print_error(message)
        #endif
        preconditionFailure(message)
    }

    /// Stops the program with a message unless a condition is true.
    @inline(__always)
    package static func check(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { stop(message()) }
    }
}
