public import CSafeKVO

/// The thread-local word that names the access recorder of a thread, if a getter is being followed there.
@usableFromInline
package enum Recording {
    /// Does something with nobody listening: what a handler or the library reads for itself is not what the getter that is being followed reads.
    @inlinable
    package static func suspended<Result>(_ body: () -> Result) -> Result {
        // SAFETY: the word is put back as it was, on its own thread, and not followed.
        let recorder = unsafe safekvo_recorder()
        safekvo_set_recorder(nil)
        defer { unsafe safekvo_set_recorder(recorder) }
        return body()
    }
}
