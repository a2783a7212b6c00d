public import CSafeKVO

/// Access to the recorder of the current thread, which records what a getter reads while the library tracks the getter.
@usableFromInline
package enum Recording {
    /// Runs a closure while the tracking of this thread is suspended, and returns the closure's result.
    ///
    /// Reads by a handler or by the library must not count as reads of the getter that is being tracked.
    @inlinable
    package static func suspended<Result>(_ body: () -> Result) -> Result {
        // SAFETY: The word is restored on the same thread, and nobody dereferences it here.
        let recorder = unsafe safekvo_recorder()
        safekvo_set_recorder(nil)
        defer { unsafe safekvo_set_recorder(recorder) }
        return body()
    }
}
