public import CSafeKVO

/// Access to the recorder of the current thread, which records the properties that a getter reads.
@usableFromInline
package enum Recording {
    /// Calls a closure while the recorder of this thread records nothing, and returns the closure's result.
    ///
    /// The recorder must not mistake the reads of a handler, or of the library, for reads of the getter.
    @inlinable
    package static func suspended<Result>(_ body: () -> Result) -> Result {
        // SAFETY: the pointer is restored on the same thread, and not dereferenced here.
        let recorder = unsafe safekvo_recorder()
        safekvo_set_recorder(nil)
        defer { unsafe safekvo_set_recorder(recorder) }
        return body()
    }
}
