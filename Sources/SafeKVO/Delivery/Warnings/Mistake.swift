internal import CSafeKVO

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
