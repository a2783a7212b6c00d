public import CSafeKVO

/// The recorder of the current thread, which notes the properties that a getter reads.
@usableFromInline
package enum Recording {
    /// Calls a closure without recording the properties that the closure reads.
    @_alwaysEmitIntoClient
    package static func suspended<Result>(_ body: () -> Result) -> Result {
        let recorder = safekvo_recorder()
        safekvo_set_recorder(0)
        defer { safekvo_set_recorder(recorder) }
        return body()
    }
}
