internal import CSafeKVO

/// Functions that stop the program after a mistake from which it cannot continue.
package enum FatalMistake {
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
